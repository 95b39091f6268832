import { expect, test } from "vitest";
import { zeroHash } from "#base";
import { sealLine, unsealedLine } from "../line.ts";
import { writeText } from "../line-memory.ts";
import { LineWriter, sessionField } from "../line-writer.ts";
import { SingleLine } from "../postgres/single-line.ts";
import { Arena } from "./arena.ts";
import { headerLength } from "./frame.ts";
import { Recycled } from "./recycled.ts";
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
  const start = headerLength + "before\n".length;
  expect(arena.take().toString("utf8", start)).toBe(`${huge}\n`);
  arena.release();
  arena.add("after");
  expect(arena.take().toString("utf8", headerLength)).toBe("after\n");
});

test("memory that a huge line needed is given back, also when the line was not finished", () => {
  const arena = new Arena();
  const usual = arena.buffer.length;
  const huge = "x".repeat(9_000_000);
  for (const finish of [true, false]) {
    arena.add("before");
    if (finish) arena.add(huge);
    else writeText(arena, huge);
    arena.add("behind");
    expect(arena.buffer.length).toBeGreaterThan(usual);
    const batch = arena.take();
    expect(arena.buffer.length).toBe(usual);
    arena.add("next");
    expect(batch.toString("utf8", headerLength)).toBe(`before\n${finish ? `${huge}\n` : ""}behind\n`);
    arena.release();
    expect(arena.take().toString("utf8", headerLength)).toBe("next\n");
    arena.release();
  }
  const single = new SingleLine();
  const writer = new LineWriter(single);
  const line = { id: "e1", ts: "2026-11-15T04:42:27.921Z", type: "t", actor: "a", parent_id: null };
  const place = { session_id: "SES-1", seq: 1, prev_hash: zeroHash };
  const least = single.buffer.length;
  for (const json of [`"${huge}"`, "{}"]) {
    writer.begin(line);
    writeText(single, json);
    expect(writer.finish({ ...line, ...place }, sessionField(place.session_id))).toBe(
      sealLine(unsealedLine({ ...line, json }, place)).hash,
    );
  }
  expect(single.buffer.length).toBe(least);
});

test("a line is written as it is sealed as text, whatever it says and wherever memory ends", () => {
  const arena = new Arena();
  const writer = new LineWriter(arena);
  const texts: string[] = [];
  for (let seq = 1; seq <= 40; seq++) {
    const json = JSON.stringify({ text: `${(seq % 3 === 0 ? "plain" : "é€😀x").repeat(seq * 997)} ${seq}` });
    const line = {
      id: `e${seq}`,
      ts: "2026-11-15T04:42:27.921Z",
      type: seq % 5 === 0 ? "tööl" : "tool.output",
      actor: seq % 2 === 0 ? 'Ünal "the" 2nd' : "tools",
      parent_id: seq % 7 === 0 ? "päpä" : null,
      json,
    };
    const place = { session_id: "SES-1", seq: seq ** 7, prev_hash: zeroHash };
    const sealed = sealLine(unsealedLine(line, place));
    writer.begin({ ...line, actor: "somebody who was interrupted" });
    writeText(arena, json);
    writer.begin(line);
    writeText(arena, json);
    expect(writer.finish({ ...line, ...place }, sessionField(place.session_id))).toBe(sealed.hash);
    const start = arena.batchStart + arena.endLine();
    texts.push(sealed.text);
    expect(arena.buffer.toString("utf8", start, arena.position)).toBe(`${sealed.text}\n`);
  }
  expect(arena.take().toString("utf8", headerLength)).toBe(`${texts.join("\n")}\n`);
});

test("unfiled lines are given out once; their memory is used again, up to a limit", () => {
  const recycled = new Recycled(64 * 1024);
  const unfiled = new Unfiled(recycled);
  expect([unfiled.isEmpty, unfiled.firstLine, unfiled.lastLine]).toEqual([true, undefined, undefined]);
  const batch = Buffer.from("..one\ntwo\n".concat("y".repeat(5_000), "\n"));
  unfiled.add(batch, 2, 6);
  expect([unfiled.firstLine, unfiled.lastLine]).toEqual(["one", "one"]);
  unfiled.add(batch, 6, 10);
  unfiled.add(batch, 10, batch.length);
  expect([unfiled.firstLine, unfiled.lastLine]).toEqual(["one", "y".repeat(5_000)]);
  const used = unfiled.pieces;
  expect(Buffer.concat(used).toString()).toBe(batch.toString("utf8", 2));
  unfiled.clear();
  expect([unfiled.isEmpty, unfiled.pieces]).toEqual([true, []]);
  const next = new Unfiled(recycled);
  next.add(batch, 10, batch.length);
  expect(next.pieces.map(String)).toEqual([batch.toString("utf8", 10)]);
  expect(next.pieces[0]?.byteOffset).toBe(used[1]?.byteOffset);
});

test("unfiled lines lie in pieces that grow, and in one when as much comes again; none lies in two", () => {
  const unfiled = new Unfiled(new Recycled(1024 * 1024));
  const line = Buffer.from(`${"x".repeat(999)}\n`);
  const fill = () => {
    for (let count = 0; count < 30; count++) unfiled.add(line, 0, line.length);
    return unfiled.pieces.map(({ length }) => length);
  };
  expect(fill()).toEqual([2_000, 4_000, 8_000, 16_000]);
  unfiled.clear();
  expect(fill()).toEqual([30_000]);
  expect(unfiled.pieces.map(String)).toEqual([line.toString().repeat(30)]);
});

test("memory is recycled by size, within its limit, until the load is over", () => {
  const recycled = new Recycled(20_000);
  for (const needed of [1, 2_048, 2_049, 4_096, 5_000, 128 * 1024, 128 * 1024 + 1])
    expect(recycled.take(needed).length).toBeGreaterThanOrEqual(needed);
  const [small, large, beyond] = [recycled.take(2_000), recycled.take(10_000), recycled.take(3_000)];
  for (const memory of [small, large, beyond]) recycled.give(memory);
  expect(recycled.take(9_000)).toBe(large);
  expect(recycled.take(3_000)).not.toBe(beyond);
  expect(recycled.take(1)).toBe(small);
  recycled.give(small);
  recycled.clear();
  expect(recycled.take(1)).not.toBe(small);
});

test("memory that is in use at the same time does not overlap, whatever its sizes", () => {
  const recycled = new Recycled(8 * 1024 * 1024);
  const taken = [2_048, 100_000, 3_000, 128 * 1024, 70_000].flatMap((needed) =>
    Array.from({ length: 12 }, () => recycled.take(needed)),
  );
  for (const [index, memory] of taken.entries()) memory.fill(index);
  for (const [index, memory] of taken.entries()) expect(memory.equals(Buffer.alloc(memory.length, index))).toBe(true);
});
