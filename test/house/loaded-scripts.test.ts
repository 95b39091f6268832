import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repository, writ } from "../support/writ.ts";

const noteScripts = new URL("../support/note-scripts.mjs", import.meta.url).href;

/**
 * How many scripts a process of the built command line loads: each takes a third of a millisecond and more, before anything is done.
 * What a command needs only sometimes is imported on first use; a validator that every run uses stands in scripts/validator-files.mjs, a
 * library of many files in scripts/libraries.mjs.
 */
test.each([
  { argv: ["--help"], most: 8, needless: /\/(yaml|re2js|better-sqlite3|generated)\// },
  {
    argv: ["run", "greet Ada"],
    most: 125,
    needless: /node_modules\/(yaml|csv-parse|picomatch|cli-table3|@bufbuild)\//,
  },
])("writ $argv loads at most $most scripts", async ({ argv, most, needless }) => {
  const folder = mkdtempSync(join(tmpdir(), "writ-scripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "workspace");
  expect((await writ(["init", root])).status).toBe(0);
  const file = join(folder, "scripts.txt");
  const env = { NODE_OPTIONS: `--import=${noteScripts}`, SCRIPTS_FILE: file };
  expect((await writ(argv, { cwd: root, env })).status).toBe(0);
  const loaded = readFileSync(file, "utf8").split("\n");
  expect(loaded).toContain(new URL("bin/writ.js", `file://${repository}`).href);
  expect(loaded.filter((url) => needless.test(url))).toEqual([]);
  expect(loaded.length, `loaded are\n${loaded.toSorted().join("\n")}`).toBeLessThanOrEqual(most);
});
