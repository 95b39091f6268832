import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { nameFiles } from "../../../governance/paths/named-files.ts";
import type { Capabilities } from "./capabilities.ts";
import { type CapabilityEnforcer, createCapabilityEnforcer } from "./enforcer.ts";

const root = mkdtempSync(join(tmpdir(), "writ-capability-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ["docs", "lib", "planes", "docs/deep"]) mkdirSync(join(root, folder));
writeFileSync(join(root, "docs/a.md"), "a");
writeFileSync(join(root, "lib/x.js"), "x");
symlinkSync("../lib", join(root, "docs/link"));
symlinkSync("/etc", join(root, "docs/out"));
symlinkSync("loop", join(root, "docs/loop"));
symlinkSync("../planes", join(root, "docs/ledgers"));

const sessionId = "SES-20261115-0123456789abcdef0123";

function enforcer(capabilities: Capabilities): CapabilityEnforcer {
  const made = createCapabilityEnforcer({ capabilities, sessionId, root });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

test("what the workspace's configuration names is out of reach of every grant: law to write, secrets to see", () => {
  const named = nameFiles([
    { path: "docs/rules.md", why: "it is policy" },
    { path: "lib/token", why: "it holds a secret", secret: true },
  ]);
  const capabilities = { read: ["**"], write: ["**"] };
  const made = createCapabilityEnforcer({ capabilities, sessionId, root, named });
  if (!made.ok) throw new Error(made.error.message);
  const { check, isVisible, isForbidden, visibilityBelow } = made.value;
  expect([check("write", "docs/rules.md"), check("write", "docs/Rules.MD"), check("write", "lib/token")]) //
    .toEqual([false, false, false]);
  expect([check("read", "docs/rules.md"), isVisible("docs/rules.md")]).toEqual([true, true]);
  expect([check("read", "lib/token"), isVisible("lib/token"), visibilityBelow("lib/token")]) //
    .toEqual([false, false, "none"]);
  expect([isForbidden("docs/rules.md"), isForbidden("docs/a.md")]).toEqual([true, false]);
});

describe("what is granted", () => {
  test("an absent list grants nothing", () => {
    const none = enforcer({});
    for (const operation of ["read", "write", "execute"] as const)
      expect(none.check(operation, "docs/a.md")).toBe(false);
    expect(none.explain("read", "docs/a.md").reason).toContain("no read capability");
  });

  test("a read grant is no write grant", () => {
    const reader = enforcer({ read: ["docs/**"] });
    expect(reader.check("read", "docs/a.md")).toBe(true);
    expect(reader.check("write", "docs/a.md")).toBe(false);
  });

  test("the session's id stands for its placeholder, in patterns and in paths", () => {
    const own = enforcer({ write: ["output/<session_id>/**"] });
    expect(own.check("write", "output/<session_id>/report.md")).toBe(true);
    expect(own.check("write", `output/${sessionId}/report.md`)).toBe(true);
    expect(own.check("write", "output/SES-20261115-aaaaaaaaaaaaaaaaaaaa/report.md")).toBe(false);
  });

  test("dotfiles count", () => {
    expect(enforcer({ write: ["docs/*"] }).check("write", "docs/.hidden")).toBe(true);
    expect(enforcer({ write: ["**"], forbidden: ["docs/*"] }).isForbidden("docs/.hidden")).toBe(true);
  });

  test("the explanation names the rule that decided", () => {
    const both = enforcer({ read: ["docs/**"], forbidden: ["docs/deep/**"] });
    expect(both.explain("read", "docs/a.md").rule).toEqual({ kind: "granted", pattern: "docs/**" });
    expect(both.explain("read", "docs/deep/b.md").rule).toEqual({ kind: "forbidden", pattern: "docs/deep/**" });
    expect(both.explain("read", "lib/x.js").rule).toEqual({ kind: "not_granted" });
    const refused = both.enforce("read", "docs/deep/b.md");
    expect(!refused.ok && refused.error).toMatchObject({ code: "CAPABILITY_VIOLATION", kind: "gate" });
  });
});

describe("forbidden wins", () => {
  const guarded = enforcer({ read: ["**"], write: ["**"], forbidden: ["lib/*", "secret"] });
  test.each([
    "lib/x.js",
    "./lib/x.js",
    "lib//x.js",
    "docs/../lib/x.js",
    "lib/sub/deep.js",
    "secret",
    "secret/inside",
    "docs/link/x.js",
    "docs/link/../lib/x.js",
  ])("over every grant, for %s", (path) => {
    expect(guarded.check("read", path)).toBe(false);
    expect(guarded.check("write", path)).toBe(false);
    expect(guarded.isForbidden(path)).toBe(true);
  });

  test("under another Unicode form", () => {
    const accents = enforcer({ read: ["**"], forbidden: ["caf\u00e9/**", "lib/**"] });
    expect(accents.isForbidden("cafe\u0301/menu")).toBe(true);
    expect(accents.isForbidden("\uff4c\uff49\uff42/x.js")).toBe(true); // full-width "lib"
  });
});

describe("a path is resolved before it is matched", () => {
  const all = enforcer({ read: ["**"], write: ["**"] });
  test.each([
    "..",
    "../outside",
    "docs/../../outside",
    "/etc/passwd",
    "docs/out/passwd",
    "docs/loop",
    "docs/a.md/x",
    "",
    "a\0b",
    "\ud800",
  ])("%j leads out or nowhere", (path) => {
    expect(all.check("read", path)).toBe(false);
    expect(all.explain("write", path).rule.kind).toBe("outside");
  });

  test("an absolute path inside the workspace is inside", () => {
    expect(all.explain("read", join(root, "docs/a.md")).path).toBe("docs/a.md");
  });

  test("a link to the ledgers leads to the ledgers", () => {
    expect(all.explain("read", "docs/ledgers/hot/log").rule.kind).toBe("protected");
  });

  test("a pattern that leaves the workspace is refused when the package is loaded", () => {
    for (const pattern of ["../**", "/etc/**", "docs/../../x", ""])
      expect(createCapabilityEnforcer({ capabilities: { read: [pattern] }, sessionId, root })).toMatchObject({
        ok: false,
        error: { code: "CONFIG_INVALID" },
      });
  });
});

test.each([
  "planes/hot/log",
  "packages/PKG-X/manifest.json",
  "writ.yaml",
  "skills/a/SKILL.md",
  "PLANES/hot",
  ".env",
  "schemas/plan_v1.json",
])("no turn writes %s, whatever is granted", (path) => {
  expect(enforcer({ write: ["**", path] }).explain("write", path).rule.kind).toBe("protected");
});

test.each(["package.json", "a/.git/hooks/x", "Makefile", "packages/app/x.ts", "hooks/x"])(
  "without an order a turn writes %s only where its package names it",
  (path) => {
    expect(enforcer({ write: ["**"] }).explain("write", path)).toMatchObject({ allowed: false });
    expect(enforcer({ write: ["**", path] }).explain("write", path)).toMatchObject({ allowed: true });
  },
);

describe("programs", () => {
  const allowed = (capabilities: Capabilities, ...command: string[]) =>
    enforcer(capabilities).explainCommand(command).allowed;
  test("with no list the machine's programs run and the workspace's own do not", () => {
    expect(allowed({}, "sh", "-c", "true")).toBe(true);
    expect(allowed({}, "/usr/bin/node", "x.js")).toBe(true);
    expect(allowed({ read: ["**"] }, "./lib/x.js")).toBe(false);
    expect(allowed({}, "lib/x.js")).toBe(false);
  });
  test("with a list only what it names", () => {
    expect(allowed({ execute: [] }, "sh")).toBe(false);
    expect(allowed({ execute: ["sh"] }, "sh", "-c", "true")).toBe(true);
    expect(allowed({ execute: ["sh"] }, "node")).toBe(false);
    expect(allowed({ execute: ["lib/*.js"] }, "./lib/x.js")).toBe(true);
    expect(allowed({ execute: ["lib/x.js --explain"] }, "lib/x.js", "--explain")).toBe(true);
    expect(allowed({ execute: ["lib/x.js --explain"] }, "lib/x.js", "--delete")).toBe(false);
    expect(allowed({ execute: ["**"] }, "/bin/sh")).toBe(true);
    expect(allowed({ execute: ["**"], forbidden: ["lib/**"] }, "./lib/x.js")).toBe(false);
  });
});

describe("what a turn sees", () => {
  test("folders are judged without being listed where the patterns allow it", () => {
    const some = enforcer({ read: ["docs/**", "src/*.ts"], forbidden: ["docs/private/**"] });
    expect(some.visibilityBelow("lib")).toBe("none");
    expect(some.visibilityBelow("docs")).toBe("mixed");
    expect(some.visibilityBelow("docs/public")).toBe("all");
    expect(some.visibilityBelow("docs/private")).toBe("none");
    expect(some.visibilityBelow("src")).toBe("mixed");
    expect(some.visibilityBelow("src/deep")).toBe("none");
    expect(some.isVisible("docs/private/x")).toBe(false);
    expect(some.isVisible("src/a.ts")).toBe(true);
    expect(some.isVisible("src/a.js")).toBe(false);
  });

  test("keys, ledgers and the profile are not shown to those who may read everything", () => {
    const all = enforcer({ read: ["**"] });
    for (const path of ["keys", "planes", ".ssh"]) expect(all.visibilityBelow(path)).toBe("none");
    for (const path of ["writ.yaml", ".env", "server.pem"]) expect(all.isVisible(path)).toBe(false);
    expect(enforcer({ read: ["writ.yaml"] }).isVisible("writ.yaml")).toBe(true);
  });

  test("a folder said to be all or none never holds a file that says otherwise", () => {
    const segment = fc.constantFrom("a", "b", "c", ".d");
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    const pattern = fc
      .array(fc.constantFrom("a", "b", "*", "**", ".d", "?", "{a,b}"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join("/"));
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 3 }),
        fc.array(pattern, { maxLength: 2 }),
        path,
        path,
        (read, forbidden, folder, below) => {
          const judge = enforcer({ read, forbidden });
          const said = judge.visibilityBelow(folder);
          const visible = judge.isVisible(`${folder}/${below}`);
          if (said === "all") expect(visible).toBe(true);
          if (said === "none") expect(visible).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
