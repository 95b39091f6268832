import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIds, seededRandom, systemClock, zeroHash } from "#core/values";
import { type Checkpoint, makeCheckpoint } from "../memory/checkpoint.ts";
import { nothingYet } from "../memory/memory-state.ts";
import { checkpointFiles } from "./checkpoint-files.ts";

const session_id = createIds(systemClock, seededRandom(1)).sessionId();

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-checkpoints-"));
  folder = join(root, "planes/ho2/checkpoints", session_id);
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function checkpointAt(seq: number): Checkpoint {
  const mark = { seq, hash: zeroHash, bytes: seq };
  return makeCheckpoint("key", mark, mark, { ...nothingYet, session_id });
}

const names = () => readdirSync(folder).toSorted();

test("a draft is written by one: a process of the same number, in another container, has another", async () => {
  const theirs = openSync(join(folder, `000000000007.json.${process.pid}.draft`), "w+");
  try {
    writeSync(theirs, "theirs");
    expect((await checkpointFiles(root, seededRandom(1)).save(checkpointAt(7))).ok).toBe(true);
    expect(fstatSync(theirs).size).toBe("theirs".length);
  } finally {
    closeSync(theirs);
  }
});

test("drafts of those who died over them are gone with the next checkpoint; a later one's is not", async () => {
  for (const draft of ["000000000005.json.4711.draft", "000000000007.json.0a0b0c.draft", "000000000008.json.0d.draft"])
    writeFileSync(join(folder, draft), "half a");
  writeFileSync(join(folder, "notes.draft"), "somebody's");
  expect((await checkpointFiles(root, seededRandom(1)).save(checkpointAt(7))).ok).toBe(true);
  expect(names()).toEqual(["000000000007.json", "000000000008.json.0d.draft", "notes.draft"]);
});

test("saves at the same time, of the same place or of others, are all answered and leave no draft", async () => {
  const store = checkpointFiles(root, seededRandom(1));
  const saved = await Promise.all([5, 3, 5, 4, 5, 1, 2, 5].map((seq) => store.save(checkpointAt(seq))));
  expect(saved.filter(({ ok }) => !ok)).toEqual([]);
  expect(names().at(-1)).toBe("000000000005.json");
  expect(names().filter((name) => name.endsWith(".draft"))).toEqual([]);
  expect(await store.load(session_id)).toContainEqual(checkpointAt(5));
});
