import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closureOf } from "./program-closure.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "writ-data-of-")));
  for (const [path, text] of Object.entries({
    "server/index.mjs": 'import "./lib.mjs";\n',
    "server/lib.mjs": 'import rows from "./data.json" with { type: "json" };\n',
    "server/data.json": "[]",
    "server/package.json": "{}",
    "data/rows.csv": "1,2\n",
    "package.json": "{}",
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a program's own files leave out the data that it writes, and no code or manifest of its folder", () => {
  const closure = (write: readonly string[]) => {
    const words = ["node", "server/index.mjs", "data/rows.csv"];
    const found = closureOf({ root, where: "mcp.servers.one", words, rights: { write } });
    if (!found.ok) throw new Error(found.error.message);
    return { files: found.value.files.map(({ path }) => path), sought: found.value.sought.map(({ path }) => path) };
  };
  const code = ["package.json", "server/index.mjs", "server/lib.mjs", "server/package.json"];
  expect(closure(["server/data.json", "data/rows.csv"]).files).toEqual(code);
  expect(closure(["server/**", join(root, "data")]).files).toEqual(code);
  expect(closure(["**", "*/data.json"]).files).toEqual(["data/rows.csv", ...code, "server/data.json"].sort());
  expect(closure(["server/**"]).sought).not.toContain("server/data.json");
});
