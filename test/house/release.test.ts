import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repository } from "../support/writ.ts";

let root: string;
const write = (name: string, text: string) => writeFileSync(join(root, name), text);
const read = (name: string) => readFileSync(join(root, name), "utf8");
const versionIn = (name: string) => (JSON.parse(read(name)) as { version: string }).version;
const release = (...args: string[]) => {
  const script = join(repository, "scripts", "release.mjs");
  const ran = spawnSync(process.execPath, [script, "--root", root, "--date", "2026-12-01", ...args], {
    encoding: "utf8",
  });
  return { status: ran.status, text: ran.stdout + ran.stderr };
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-release-"));
  for (const folder of ["changes", "studio", "create-writ"]) mkdirSync(join(root, folder));
  write("package.json", '{ "name": "writ", "version": "0.2.9" }');
  for (const name of ["studio", "create-writ"]) write(`${name}/package.json`, '{ "version": "0.2.9" }');
  const workspaces = { studio: { version: "0.2.9" }, "create-writ": { version: "0.2.9" } };
  const packages = { "": { version: "0.2.9" }, ...workspaces, "node_modules/a": { version: "0.2.9" } };
  write("package-lock.json", JSON.stringify({ version: "0.2.9", packages }));
  write("CHANGELOG.md", "# Changelog\n\nIntroduction.\n\n## 0.2.9, 2026-11-20\n\n### Fixed\n\n- Old.\n");
  write("README.md", "`npm pack` writes `writ-0.2.9.tgz`.\n");
  write("changes/README.md", "# How\n");
  write("changes/b.md", "### Changed\n\n- Second.\n  It goes on.\n\n### Added\n\n- New.\n");
  write("changes/a.md", "### Changed\n\n- First.\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a release gathers the changes above the older ones, sets the version everywhere and says how to go on", () => {
  const { status, text } = release("0.10.0");
  expect(status).toBe(0);
  expect(text).toContain("git tag --annotate v0.10.0");
  expect(read("CHANGELOG.md")).toBe(
    "# Changelog\n\nIntroduction.\n\n## 0.10.0, 2026-12-01\n\n### Added\n\n- New.\n\n### Changed\n\n- First.\n- Second.\n  It goes on.\n\n## 0.2.9, 2026-11-20\n\n### Fixed\n\n- Old.\n",
  );
  const manifests = ["package.json", "studio/package.json", "create-writ/package.json", "package-lock.json"];
  expect(manifests.map(versionIn)).toEqual(Array(4).fill("0.10.0"));
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version: string }> };
  expect(Object.values(packages).map(({ version }) => version)).toEqual(["0.10.0", "0.10.0", "0.10.0", "0.2.9"]);
  expect(read("README.md")).toContain("writ-0.10.0.tgz");
  expect(readdirSync(join(root, "changes"))).toEqual(["README.md"]);
});

test("changes that are too many to be read are written down, shortened by a person, and released as shortened", () => {
  write("changes/c.md", `### Fixed\n\n- ${"x".repeat(9_000)}\n`);
  const draft = join(root, "draft.md");
  const drafted = release("0.3.0", "--draft", draft);
  expect([drafted.status, drafted.text]).toEqual([0, expect.stringContaining("3 changes, 9")]);
  expect(read("draft.md")).toContain("### Changed\n\n- First.\n- Second.\n  It goes on.\n\n### Fixed\n\n- xxx");
  expect([versionIn("package.json"), readdirSync(join(root, "changes"))]).toEqual([
    "0.2.9",
    ["README.md", "a.md", "b.md", "c.md"],
  ]);
  expect(release("0.3.0", "--from", draft).text).toContain("more than 8192");
  write("draft.md", "- no heading\n");
  expect(release("0.3.0", "--from", draft).text).toContain("draft.md does not begin with ###");
  write("draft.md", "### Fixed\n\n- Less.\n");
  expect(release("0.3.0", "--from", draft).status).toBe(0);
  expect(read("CHANGELOG.md")).toContain("## 0.3.0, 2026-12-01\n\n### Fixed\n\n- Less.\n\n## 0.2.9");
  expect(readdirSync(join(root, "changes"))).toEqual(["README.md"]);
});

test.for<[string, string, () => void, string]>([
  ["no version", "", () => undefined, "which version?"],
  ["an older version", "0.2.8", () => undefined, "0.2.8 does not come after 0.2.9"],
  ["the same version", "0.2.9", () => undefined, "does not come after"],
  ["an unknown heading", "0.3.0", () => write("changes/c.md", "### News\n\n- x\n"), "changes/c.md: ### News"],
  ["text without a heading", "0.3.0", () => write("changes/c.md", "- x\n"), "changes/c.md does not begin"],
  ["a heading without a list", "0.3.0", () => write("changes/c.md", "### Fixed\n\nx\n"), "stands no list"],
  ["more than 8 kB", "0.3.0", () => write("changes/c.md", `### Fixed\n\n- ${"x".repeat(9_000)}\n`), "more than 8192"],
  [
    "nothing to release",
    "0.3.0",
    () => ["a.md", "b.md"].forEach((name) => rmSync(join(root, "changes", name))),
    "holds nothing",
  ],
])("%s is refused, and nothing is changed", ([, version, prepare, why]) => {
  prepare();
  const before = [read("CHANGELOG.md"), read("package.json"), readdirSync(join(root, "changes"))];
  const { status, text } = release(...(version === "" ? [] : [version]));
  expect([status, text]).toEqual([2, expect.stringContaining(why)]);
  expect([read("CHANGELOG.md"), read("package.json"), readdirSync(join(root, "changes"))]).toEqual(before);
});

test("the changelog of this version is one that is read: under 8 kB, with what waits in a form that can be gathered", () => {
  const [, newest = ""] = readFileSync(join(repository, "CHANGELOG.md"), "utf8").split(/^## /m);
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  expect(newest.startsWith(version)).toBe(true);
  expect(Buffer.byteLength(newest)).toBeLessThan(8 * 1024);
  for (const name of readdirSync(join(repository, "changes")).filter((each) => each !== "README.md"))
    expect([name, readFileSync(join(repository, "changes", name), "utf8")]).toEqual([
      name,
      expect.stringMatching(/^### (?:Added|Changed|Fixed|Removed)\n\n- /),
    ]);
});
