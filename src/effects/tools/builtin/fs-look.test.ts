import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtinBench } from "../../../../test/support/builtin-bench.ts";
import { workspaceWith } from "../../../../test/support/workspace.ts";

const tree = {
  "README.md": "# Hello\nwrit\n",
  "src/a.ts": "export const a = 1;\n",
  "src/deep/b.ts": "export const b = a;\n",
  "src/deep/deeper/c.md": "Writ is a runtime\n",
  ".hidden/x.md": "hidden writ\n",
  ".env": "writ=secret\n",
  "planes/ho1/log": "writ\n",
  "node_modules/p/index.js": "writ\n",
  ".git/HEAD": "writ\n",
  "logo.bin": new Uint8Array([0, 119, 114, 105, 116]),
};

const paths = (content: { entries?: unknown; matches?: unknown }) =>
  ((content.entries ?? content.matches) as { path: string }[]).map(({ path }) => path);

describe("fs.list", () => {
  test("lists what there is, sorted, without secret places, and looks into no package or git folder", async () => {
    const content = await builtinBench(workspaceWith(tree)).give("fs.list", {});
    expect(paths(content)).toEqual([
      ".git",
      ".hidden",
      ".hidden/x.md",
      "README.md",
      "logo.bin",
      "node_modules",
      "src",
      "src/a.ts",
      "src/deep",
      "src/deep/b.ts",
      "src/deep/deeper",
      "src/deep/deeper/c.md",
    ]);
    expect(content).toMatchObject({ truncated: false });
    expect((content["entries"] as unknown[])[3]).toEqual({ path: "README.md", type: "file", bytes: 13 });
  });

  test("keeps to glob, folder and depth", async () => {
    const bench = builtinBench(workspaceWith(tree));
    expect(paths(await bench.give("fs.list", { glob: "src/**/*.ts" }))).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(paths(await bench.give("fs.list", { path: "src", depth: 1 }))).toEqual(["src/a.ts", "src/deep"]);
    expect(paths(await bench.give("fs.list", { path: "node_modules" }))).toEqual([
      "node_modules/p",
      "node_modules/p/index.js",
    ]);
  });

  test("says when there is more than the limit", async () => {
    const bench = builtinBench(workspaceWith(tree));
    const content = await bench.give("fs.list", { limit: 3 });
    expect(paths(content)).toHaveLength(3);
    expect(content).toMatchObject({ truncated: true });
    expect(await bench.give("fs.list", { glob: "src/*.ts", limit: 1 })).toMatchObject({ truncated: false });
  });

  test("names links and follows none", async () => {
    const root = workspaceWith({ "a.md": "x" });
    symlinkSync("/", join(root, "everything"));
    symlinkSync(root, join(root, "loop"));
    const content = await builtinBench(root).give("fs.list", {});
    expect(content["entries"]).toEqual([
      { path: "a.md", type: "file", bytes: 1 },
      { path: "everything", type: "link" },
      { path: "loop", type: "link" },
    ]);
    for (const path of ["everything", "everything/etc"])
      expect((await builtinBench(root).use("fs.list", { path })).error?.code).toBe("CAPABILITY_VIOLATION");
  });

  test.each(["..", "/etc", "keys", "planes/ho1"])("refuses %j", async (path) => {
    expect((await builtinBench(workspaceWith(tree)).use("fs.list", { path })).error?.code).toBe("CAPABILITY_VIOLATION");
  });
});

describe("fs.search", () => {
  test("finds lines by pattern, and by plain text", async () => {
    const bench = builtinBench(workspaceWith(tree));
    expect(await bench.give("fs.search", { pattern: "const [ab] = \\d" })).toEqual({
      matches: [{ path: "src/a.ts", line: 1, text: "export const a = 1;" }],
      files_searched: 5,
      truncated: false,
    });
    const literal = await bench.give("fs.search", { pattern: "writ", literal: true, ignore_case: true });
    expect(paths(literal)).toEqual([".hidden/x.md", "README.md", "src/deep/deeper/c.md"]);
    expect(paths(await bench.give("fs.search", { pattern: "(?i)WRIT", glob: "*.md" }))).toEqual(["README.md"]);
    expect(paths(await bench.give("fs.search", { pattern: "[ab] =", literal: true }))).toEqual([]);
  });

  test("a pattern that would take a backtracking engine for ever ends", async () => {
    const root = workspaceWith({ "a.txt": `${"a".repeat(2000)}!\n` });
    expect(await builtinBench(root).give("fs.search", { pattern: "^(a+)+$" })).toMatchObject({ matches: [] });
  });

  test("a bad pattern is an error in words", async () => {
    const outcome = await builtinBench(workspaceWith(tree)).use("fs.search", { pattern: "(" });
    expect(outcome.error?.code).toBe("MALFORMED_INPUT");
  });

  test("keeps to its limits and says so", async () => {
    const root = workspaceWith({ "many.txt": "hit\n".repeat(5000), "wide.txt": `${"x".repeat(5000)}hit` });
    const bench = builtinBench(root);
    const many = await bench.give("fs.search", { pattern: "hit", limit: 10 });
    expect(paths(many)).toHaveLength(10);
    expect(many).toMatchObject({ truncated: true });
    const wide = await bench.give("fs.search", { pattern: "hit", glob: "wide.txt" });
    expect((wide["matches"] as { text: string }[])[0]?.text.length).toBe(500);
    const large = builtinBench(workspaceWith({ "large.txt": "hit\n".repeat(400_000) }));
    expect(await large.give("fs.search", { pattern: "hit" })).toMatchObject({ matches: [], truncated: true });
  });
});
