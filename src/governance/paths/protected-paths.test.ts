import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesPath } from "./path-patterns.ts";
import { isProtectedPath, protectedPlaces, whyProtected, whyUnreadable } from "./protected-paths.ts";
import { nameMatcher } from "./rights.ts";
import { comparablePath, isPlainName, workspacePath } from "./workspace-path.ts";

describe("what nobody writes", () => {
  test.each([
    "planes",
    "planes/ho1/sessions/SES-20261115-x/.events.jsonl",
    "packages/PKG-1/manifest.yaml",
    "writ.yaml",
    "writ.yml",
    "writ.local.yaml",
    ".writrc",
    "keys/anchor.pem",
    "hooks/check.sh",
    "skills/greet/SKILL.md",
    "schemas/plan_v1.json",
    "agents/worker.md",
    "workflows/cycles/x.md",
    "frameworks/FMWK-005/manifest.yaml",
    "registries/frameworks_registry.csv",
    ".git",
    ".git/hooks/pre-commit",
    "vendor/lib/.git/config",
    ".gitattributes",
    ".agents/skills/x/SKILL.md",
    "AGENTS.md",
    "src/AGENTS.md",
    "CLAUDE.md",
    ".mcp.json",
    "node_modules/.bin/tsc",
    "studio/node_modules/x/index.js",
    "package.json",
    "studio/package.json",
    "package-lock.json",
    ".npmrc",
    ".env",
    ".env.local",
    ".envrc",
    ".husky/pre-push",
    ".vscode/tasks.json",
    "certs/server.key",
    "",
    ".",
    "./",
    "..",
    "../x",
    "docs/../writ.yaml",
    "/etc/passwd",
  ])("%j is protected", (path) => {
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
    "planes.md",
    "hooks-guide.md",
    "docs/writ.yaml.md",
    "docs/environment.md",
    "keyboard.ts",
    "git.md",
    ".github/ISSUE_TEMPLATE.md",
    ".gitignore",
    "...",
  ])("%j is left to the caller's rights", (path) => {
    expect(whyProtected(path)).toBeUndefined();
  });

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
          const place = name.replaceAll("*", "x");
          const path = [...(at === "root" ? [] : above), upper ? place.toUpperCase() : place, ...below].join("/");
          expect(isProtectedPath(path)).toBe(true);
        },
      ),
    );
  });
});

describe("what nobody reads", () => {
  test.each([
    "keys/anchor.key",
    ".env",
    "a/.env.production",
    ".ssh/id_rsa",
    "x/server.pem",
    ".git/config",
    "vendor/.git/modules/x/config",
    ".npmrc",
    "planes/ho1/sessions/x/.events.jsonl",
    ".ENV",
    "id_ed25519",
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
