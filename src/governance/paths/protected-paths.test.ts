import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usualSecretFiles } from "../../../test/support/usual-secret-files.ts";
import { matchesPath } from "./path-patterns.ts";
import {
  codeThatRuns,
  isProtectedPath,
  mayBeUnreadable,
  protectedPlaces,
  whyProtected,
  whyUnreadable,
} from "./protected-paths.ts";
import { nameMatcher } from "./rights.ts";
import { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";

describe("what Writ itself obeys, and secrets, which no agent writes", () => {
  test.each([
    "planes",
    "planes/ho1/sessions/SES-20261115-x/.events.jsonl",
    "packages/PKG-1/manifest.yaml",
    "packages/.journal.json",
    "packages/.staging/x",
    "writ.yaml",
    "writ.yml",
    "writ.local.yaml",
    ".writrc",
    "keys/anchor.pem",
    "skills/greet/SKILL.md",
    "schemas/plan_v1.json",
    "schemas/frozen.json",
    "agents/worker.md",
    "workflows/cycles/x.md",
    "frameworks/FMWK-005/manifest.yaml",
    "registries/frameworks_registry.csv",
    ".agents/skills/x/SKILL.md",
    "src/.claude/settings.json",
    ".npmrc",
    ".env",
    ".env.local",
    ".envrc",
    "certs/server.key",
    "",
    ".",
    "./",
    "..",
    "../x",
    "docs/../writ.yaml",
    "/etc/passwd",
  ])("%j is protected", (path) => {
    expect(whyProtected(path)).toBeDefined();
    expect(isProtectedPath(path)).toBe(true);
  });

  test.each([
    "README.md",
    "src/index.ts",
    "docs/planes/x.md",
    "output/SES-1/result.json",
    "tmp/x",
    "src/hooks/use-thing.ts",
    "src/skills/x.ts",
    "src/packages/x.ts",
    "planes.md",
    "hooks-guide.md",
    "docs/writ.yaml.md",
    "docs/environment.md",
    "keyboard.ts",
    "git.md",
    ".github/ISSUE_TEMPLATE.md",
    ".gitignore",
    "...",
    "src/secrets.ts",
    "src/auth.json",
    "locales/en/auth.json",
    "tokenizer.json",
    "src/config.ts",
    "tsconfig.json",
    "docs/makefile.md",
    "src/build/index.ts",
  ])("%j is left to the caller's rights", (path) => {
    expect(whyProtected(path)).toBeUndefined();
    expect(codeThatRuns(path)).toBeUndefined();
    expect(whyUnreadable(path)).toBeUndefined();
  });
});

describe("code that runs", () => {
  test.each([
    ".git/hooks/pre-commit",
    ".git/config",
    "vendor/lib/.git/HEAD",
    "api/App.csproj",
    "Brewfile",
    "services/edge/wrangler.toml",
    ".gitpod.yml",
    ".gitattributes",
    "src/AGENTS.md",
    "CLAUDE.md",
    ".mcp.json",
    ".cursorrules",
    ".cursor/rules/a.mdc",
    ".github/workflows/ci.yml",
    ".GitHub/Workflows/ci.yml",
    ".github/copilot-instructions.md",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "Makefile",
    "tools/Makefile",
    "justfile",
    ".husky/pre-push",
    ".vscode/tasks.json",
    "node_modules/.bin/tsc",
    "studio/package.json",
    "package-lock.json",
    "vite.config.ts",
    "Dockerfile",
    "docker-compose.prod.yml",
    "pyproject.toml",
    "requirements-dev.txt",
    "Cargo.toml",
    "build.rs",
    "setup.py",
    "go.mod",
    "pom.xml",
    "gradle/wrapper/gradle-wrapper.properties",
    ".bashrc",
    "deploy/app.service",
  ])("%j is of the class, and the mandate decides about it", (path) => {
    expect(codeThatRuns(path)).toMatchObject({ why: expect.any(String) });
    expect(codeThatRuns(path)?.folder).toBeUndefined();
    expect(whyProtected(path)).toBeUndefined();
  });

  test.each([
    "packages/app/src/index.ts",
    "schemas/user.graphql",
    "schemas/v2/user.json",
    "agents/run.py",
    "hooks/useThing.ts",
  ])("%j lies in a folder that Writ and a project may both have", (path) => {
    expect(codeThatRuns(path)?.folder).toBe(path.split("/")[0]);
    expect(whyProtected(path)).toBeUndefined();
  });
});

describe("every spelling", () => {
  test.each([
    ["other case", "PLANES/x", "Writ.YAML", ".GIT/config", "Agents.MD", "NODE_MODULES/x"],
    ["trailing dots and blanks", "planes./x", "planes /x", "writ.yaml. . ", ".git../config"],
    ["data streams", "planes::$INDEX_ALLOCATION/x", "writ.yaml::$DATA", ".git:x/config"],
    [
      "characters that are not shown",
      ".g\u200cit/config",
      "pla\u00adnes/x",
      "\ufeffwrit.yaml",
      "AGENTS\u2060.md",
      ".gi\u{e0041}t/x",
    ],
    ["compatibility forms", "ｐｌａｎｅｓ/x", "package\u017F/x", "hoo\u212As/x", "writ．yaml"],
    ["short names", "GIT~1/config", "git~2"],
    ["doubled separators", "./planes/x", "planes//x", "././/writ.yaml"],
  ])("%s do not get around it", (_, ...paths) => {
    for (const path of paths) expect([path, isProtectedPath(path)]).toEqual([path, true]);
  });

  test("a place is protected as a whole, and in every case", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...protectedPlaces),
        fc.array(
          fc.stringMatching(/^[a-z0-9._-]{1,8}$/).filter((part) => part !== "." && part !== ".."),
          { maxLength: 3 },
        ),
        fc.array(fc.constantFrom("src", "a", "b.c"), { maxLength: 2 }),
        fc.boolean(),
        ({ name, at }, below, above, upper) => {
          const place = name.replaceAll("*", "x1");
          const path = [...(at === "root" ? [] : above), upper ? place.toUpperCase() : place, ...below].join("/");
          expect(isProtectedPath(path)).toBe(true);
        },
      ),
    );
  });
});

describe("what no agent reads", () => {
  test.each(usualSecretFiles)("%j", (path) => {
    expect(whyUnreadable(path)).toBeDefined();
    expect(whyProtected(path)).toBeDefined();
    expect(whyUnreadable(`deep/in/the/tree/${path}`)).toBeDefined();
    // The quick look that spares most names the whole comparison must let these through at one of their parts.
    expect(path.split("/").some(mayBeUnreadable)).toBe(true);
  });

  test.each([
    "keys/anchor.key",
    "a/.env.production",
    ".git/config",
    "vendor/.git/modules/x/config",
    "planes/ho1/sessions/x/.events.jsonl",
    ".ENV",
    "PROD.env",
  ])("%j", (path) => {
    expect(whyUnreadable(path)).toBeDefined();
  });

  test.each([
    "writ.yaml",
    "package.json",
    ".git/HEAD",
    "src/config",
    "AGENTS.md",
    "skills/greet/SKILL.md",
    "environment.ts",
  ])("%j is readable", (path) => {
    expect(whyUnreadable(path)).toBeUndefined();
  });
});

describe("a workspace path", () => {
  test.each([
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a/..",
    "a\u0000b",
    "a\nb",
    "C:/x",
    "c:x",
    "\\\\server\\x",
    "a\\b",
    "~/x",
    "\ud800",
    "x".repeat(256),
    "a/".repeat(3000),
  ])("%j is refused", (path) => {
    expect(workspacePath(path).ok).toBe(false);
  });

  test("is the same again when read again, and never leaves the workspace", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom("..", ".", "", "a", "b c", "é", "~", "C:", "\\", "\u0000"), fc.string())),
        (parts) => {
          const text = parts.join("/");
          const path = workspacePath(text);
          if (!path.ok) return;
          expect(workspacePath(path.value)).toEqual(path);
          expect(path.value.startsWith("/")).toBe(false);
          expect(path.value.split("/")).not.toContain("..");
          expect(
            new URL(`file:///base/${path.value.split("/").map(encodeURIComponent).join("/")}`).pathname.startsWith(
              "/base/",
            ),
          ).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("spellings that a file system may take for one compare as one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const form = comparablePath(text);
        expect(comparablePath(form)).toBe(form);
        expect(comparablePath(text.normalize("NFD"))).toBe(comparablePath(text.normalize("NFC")));
        expect(comparablePath(text.toUpperCase())).toBe(form);
      }),
      { numRuns: 500 },
    );
  });

  test.each(["e\u0301.md", "a\u202egpj.exe", "zero\u200bwidth", " x", "x ", "a/ b"])(
    "%j is no plain name to create",
    (path) => {
      expect(isPlainName(path)).toBe(false);
    },
  );
  test.each(["é.md", "日本語/ノート.md", "a b/c.md", "😀.md"])("%j is a plain name", (path) => {
    expect(isPlainName(path)).toBe(true);
  });
});

test("a list of grants cannot be turned around by a negation", () => {
  const decide = (pattern: string) => nameMatcher(pattern)("fs.write");
  for (const pattern of ["!echo", "!(echo)", "!", "!!fs.write"])
    expect([pattern, decide(pattern)]).toEqual([pattern, false]);
  for (const pattern of ["fs.write", "fs.*", "*", "{echo,fs.write}"])
    expect([pattern, decide(pattern)]).toEqual([pattern, true]);
});

describe("globs of paths", () => {
  test.each([
    ["docs/**", "docs/a/b.md", true],
    ["docs/", "docs/a/b.md", true],
    ["./docs/*.md", "docs/a.md", true],
    ["docs/*.md", "docs/a/b.md", false],
    ["**", "a/.hidden/x", true],
    ["*", ".hidden", true],
    ["src/{a,b}.ts", "src/b.ts", true],
    ["!secret", "anything", false],
    ["../**", "x", false],
    ["/**", "x", false],
    ["", "x", false],
    ["docs", "docs/a", false],
    ["é.md", "e\u0301.md", true],
  ])("%j names %j: %s", (pattern, path, named) => {
    expect(matchesPath([pattern], path)).toBe(named);
  });
  test("an empty list names nothing, and nothing names the workspace itself", () => {
    expect(matchesPath([], "x")).toBe(false);
    expect(matchesPath(["**"], "")).toBe(false);
  });
});
