import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentWrites, forgetAgentWrites, noteAgentWrites } from "./agent-writes.ts";

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-notes-"));
  file = join(root, "planes/hot/programs/landed");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a path that a person agreed to is noted again when an agent writes it again, in whichever process", () => {
  noteAgentWrites(root, ["a", "b"]);
  // As another process would: what this one knows of the file is not what it remembers.
  appendFileSync(file, '{"agreed":["a"]}\n');
  expect([...agentWrites(root)]).toEqual(["b"]);
  noteAgentWrites(root, ["a"]);
  expect([...agentWrites(root)]).toEqual(["b", "a"]);
});

test("what is agreed to takes away nothing that another process noted meanwhile", () => {
  noteAgentWrites(root, ["a", "b"]);
  const before = readFileSync(file, "utf8");
  forgetAgentWrites(root, (path) => path === "b");
  noteAgentWrites(root, ["c"]);
  expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  expect([...agentWrites(root)]).toEqual(["b", "c"]);
});

test("a line that a crash cut off is taken for nothing, and spoils neither what was noted before nor after", () => {
  noteAgentWrites(root, ["src/a", 'with "quotes" \n and a line']);
  noteAgentWrites(root, ["torn"]);
  truncateSync(file, readFileSync(file).length - 4);
  noteAgentWrites(root, ["src/b"]);
  expect([...agentWrites(root)]).toEqual(["src/a", 'with "quotes" \n and a line', "src/b"]);
  noteAgentWrites(root, ["torn"]);
  expect(agentWrites(root).has("torn")).toBe(true);
});
