import { expect, test } from "vitest";
import { zeroHash } from "#base";
import { sealLine, unsealedLine } from "../line.ts";
import { Arena } from "./arena.ts";
import { headerLength } from "./frame.ts";
import { Unfiled } from "./unfiled.ts";

const half = "x".repeat(700_000); // an arena holds it twice: room is kept for three bytes a character

test("a batch stays as it is until it is released, however much gathers behind it; then its memory is used again", () => {
  const arena = new Arena();
  const pieces = new Set<ArrayBufferLike>();
  for (let round = 0; round < 20; round++) {
    arena.add(`first ${round}`);
    const batch = arena.take();
    for (let line = 0; line < 3; line++) arena.add(`${half}${round}`);
    expect(batch.toString("utf8", headerLength)).toBe(`first ${round}\n`);
    pieces.add(batch.buffer);
    arena.release();
    const behind = arena.take();
    expect(behind.toString("utf8", headerLength)).toBe(`${half}${round}\n`.repeat(3));
    pieces.add(behind.buffer);
    arena.release();
  }
  expect(pieces.size).toBeLessThanOrEqual(3);
});

test("a line that is larger than any piece gets memory of its own", () => {
  const arena = new Arena();
  const huge = "€".repeat(3_000_000);
  arena.add("before");
  arena.add(huge);
  const start = arena.lineStart - arena.batchStart;
  expect(arena.take().toString("utf8", start)).toBe(`${huge}\n`);
  arena.release();
  arena.add("after");
  expect(arena.take().toString("utf8", headerLength)).toBe("after\n");
});

test("a line is sealed in place as it is as text, whatever characters it has and wherever memory ends", () => {
  const arena = new Arena();
  const texts: string[] = [];
  for (let seq = 1; seq <= 40; seq++) {
    const actor = seq % 2 === 0 ? "Ünal" : "tools";
    const isAscii = seq % 3 === 0;
    const json = JSON.stringify({ text: `${(isAscii ? "plain" : "é€😀x").repeat(seq * 997)} ${seq}` });
    const line = {
      id: `e${seq}`,
      ts: "2026-11-15T04:42:27.921Z",
      type: "tool.output",
      actor,
      parent_id: null,
      json,
      isAscii,
    };
    const unsealed = unsealedLine(line, { session_id: "SES-1", seq, prev_hash: zeroHash });
    const sealed = sealLine(unsealed);
    expect(arena.seal(unsealed)).toBe(sealed.hash);
    texts.push(sealed.text);
    expect(arena.buffer.toString("utf8", arena.lineStart, arena.position)).toBe(`${sealed.text}\n`);
  }
  expect(arena.take().toString("utf8", headerLength)).toBe(`${texts.join("\n")}\n`);
});

test("unfiled lines are given out once and stay readable for whoever looked before they were cleared", () => {
  const unfiled = new Unfiled();
  expect([unfiled.isEmpty, unfiled.firstLine, unfiled.lastLine]).toEqual([true, undefined, undefined]);
  const batch = Buffer.from("..one\ntwo\n".concat("y".repeat(5_000), "\n"));
  unfiled.add(batch, 2, 6);
  expect([unfiled.firstLine, unfiled.lastLine]).toEqual(["one", "one"]);
  unfiled.add(batch, 6, 10);
  const seen = unfiled.bytes;
  unfiled.add(batch, 10, batch.length);
  expect([unfiled.firstLine, unfiled.lastLine]).toEqual(["one", "y".repeat(5_000)]);
  unfiled.clear();
  unfiled.add(Buffer.from("three\n"), 0, 6);
  expect([seen.toString(), unfiled.bytes.toString()]).toEqual(["one\ntwo\n", "three\n"]);
});
