import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson, ok, type Result, type SessionId } from "#core/values";
import { cli } from "../../test/support/cli.ts";
import { value, writeGreeting } from "../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../test/support/sealed-workspace.ts";
import { type Envelope, parseLine, sealLine, unsealedLine } from "./line.ts";
import { eventsOf, type LinePortion } from "./read-events.ts";

const workspace = new SealedWorkspace(51);
let session_id: SessionId;
let lines: readonly string[];
let foreign: readonly string[];

beforeAll(async () => {
  session_id = (await writeGreeting(workspace.log)).session_id;
  const other = (await writeGreeting(workspace.log, { name: "Grace" })).session_id;
  await workspace.shut();
  lines = linesOf(session_id);
  foreign = linesOf(other);
});
afterAll(() => workspace.remove());

const linesOf = (session: string) =>
  readFileSync(workspace.file(session, ".events.jsonl"), "utf8").trimEnd().split("\n");

async function* inPortions(texts: readonly string[], size: number): AsyncGenerator<Result<LinePortion>> {
  for (let at = 0; at < texts.length; at += size) yield ok({ texts: texts.slice(at, at + size), fault: undefined });
}

/** The seqs that a reader gets, and then the fault, if there is one. */
async function readIn(size: number, texts: readonly string[], options?: Parameters<typeof eventsOf>[2]) {
  const seqs: number[] = [];
  for await (const batch of eventsOf(inPortions(texts, size), session_id, options)) {
    if (!batch.ok) return { seqs, fault: batch.error.details["fault"], line: batch.error.details["line"] };
    seqs.push(...batch.value.map(({ seq }) => seq));
  }
  return { seqs };
}

const countTo = (end: number, from = 1) => Array.from({ length: end - from + 1 }, (_, index) => from + index);

/** Lines sealed again, each after the one before, as an attacker who knows the format would do. */
function sealedAnew(entries: readonly Envelope[]): readonly string[] {
  let prev_hash = "0".repeat(64);
  return entries.map((entry) => {
    const sealed = sealLine(unsealedLine({ ...entry, json: canonicalJson(entry.payload) }, { ...entry, prev_hash }));
    prev_hash = sealed.hash;
    return sealed.text;
  });
}

describe("a reader gets events up to the first line that is invalid", () => {
  const at = 9; // the index of the changed line: a border of portions of three
  const changes: readonly (readonly [string, string, () => readonly string[]])[] = [
    ["removed", "seq", () => lines.toSpliced(at, 1)],
    ["repeated", "seq", () => lines.toSpliced(at, 0, lines[at - 1] as string)],
    ["swapped", "seq", () => lines.with(at, lines[at + 1] as string).with(at + 1, lines[at] as string)],
    ["of another session", "session", () => lines.with(at, foreign[at] as string)],
    ["changed", "hash", () => lines.with(at, (lines[at] as string).replace(/"actor":"./, '"actor":"X'))],
    ["in another form", "not_canonical", () => lines.with(at, (lines[at] as string).replace(":", ": "))],
    [
      "left out of a chain whose hashes fit",
      "seq",
      () =>
        sealedAnew(
          lines
            .map((line) => value(parseLine(line)))
            .map((entry) => (entry.seq > at ? { ...entry, seq: entry.seq + 1 } : entry)),
        ),
    ],
    [
      "behind one that was sealed anew",
      "prev_hash",
      () => {
        const entry = value(parseLine(lines[at - 1] as string));
        const json = canonicalJson(entry.payload);
        return lines.with(at - 1, sealLine(unsealedLine({ ...entry, actor: "mallory", json }, entry)).text);
      },
    ],
  ];
  for (const [what, fault, change] of changes)
    test(what, async () => {
      for (const size of [1, 3, 1000])
        expect(await readIn(size, change()), `portions of ${size}`).toEqual({
          seqs: countTo(at),
          fault,
          line: at + 1,
        });
    });

  test("the first line follows nothing", async () => {
    const cut = lines
      .slice(1)
      .map((line) => value(parseLine(line)))
      .map((entry) => ({ ...entry, seq: entry.seq - 1 }));
    const [first] = cut as [Envelope];
    const behindAnother = sealLine(unsealedLine({ ...first, json: canonicalJson(first.payload) }, first)).text;
    expect(await readIn(1, [behindAnother])).toEqual({ seqs: [], fault: "prev_hash", line: 1 });
  });
});

describe("a reader that begins in the middle", () => {
  test("gets the events from there on, whatever the portions", async () => {
    for (const size of [1, 3, 4, 1000])
      expect(await readIn(size, lines, { from: 8 })).toEqual({ seqs: countTo(lines.length, 8) });
  });

  test("gets an error for a missing line before it, and for every break after it", async () => {
    for (const size of [1, 3, 1000]) {
      expect(await readIn(size, lines.toSpliced(2, 1), { from: 8 })).toEqual({ seqs: [], fault: "seq", line: 8 });
      expect(await readIn(size, lines.toSpliced(9, 1), { from: 8 })).toEqual({ seqs: [8, 9], fault: "seq", line: 10 });
    }
  });
});

test("a session with a line missing is neither shown nor replayed, and the line is named", async () => {
  const file = workspace.file(session_id, ".events.jsonl");
  const whole = readFileSync(file);
  writeFileSync(file, `${lines.toSpliced(9, 1).join("\n")}\n`);
  try {
    for (const argv of [["replay"], ["show"], ["events"], ["events", "--from", "12"]]) {
      const [command = "", ...more] = argv;
      const result = await cli(workspace.root, "session", command, session_id, ...more, "--json");
      expect([result.status, result.stderr + result.stdout].join(" "), argv.join(" ")).toMatch(/^1 [^]*LEDGER_CORRUPT/);
    }
  } finally {
    writeFileSync(file, whole);
  }
});
