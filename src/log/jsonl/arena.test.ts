import { expect, test } from "vitest";
import { zeroHash } from "#core/values";
import { sealLine, unsealedLine } from "../line.ts";
import { writeText } from "../line-memory.ts";
import { LineWriter } from "../line-writer.ts";
import { SingleLine } from "../postgres/single-line.ts";
import { Arena } from "./arena.ts";
import type { Chunk } from "./chunk.ts";
import { headerLength } from "./frame.ts";
import { PendingWrites } from "./pending-writes.ts";

const half = "x".repeat(700_000); // an arena holds it twice: room is kept for three bytes a character

test("a batch stays unchanged until it is released, however much gathers after it; then its memory is reused", () => {
  const arena = new Arena(new PendingWrites(16 * 1024 * 1024));
  const chunks = new Set<Chunk>();
  for (let round = 0; round < 20; round++) {
    arena.add(`first ${round}`);
    const batch = arena.take();
    for (let line = 0; line < 3; line++) arena.add(`${half}${round}`);
    expect(batch.bytes.toString("utf8", headerLength)).toBe(`first ${round}\n`);
    chunks.add(batch.chunk);
    arena.release();
    const behind = arena.take();
    expect(behind.bytes.toString("utf8", headerLength)).toBe(`${half}${round}\n`.repeat(3));
    chunks.add(behind.chunk);
    arena.release();
  }
  expect(chunks.size).toBeLessThanOrEqual(3);
});

test("a line that is larger than any chunk gets memory of its own", () => {
  const arena = new Arena(new PendingWrites(16 * 1024 * 1024));
  const huge = "€".repeat(3_000_000);
  arena.add("before");
  arena.add(huge);
  const start = headerLength + "before\n".length;
  expect(arena.take().bytes.toString("utf8", start)).toBe(`${huge}\n`);
  arena.release();
  arena.add("after");
  expect(arena.take().bytes.toString("utf8", headerLength)).toBe("after\n");
});

test("memory for a huge line is freed, also when the line was not finished", () => {
  const arena = new Arena(new PendingWrites(16 * 1024 * 1024));
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
    expect(batch.bytes.toString("utf8", headerLength)).toBe(`before\n${finish ? `${huge}\n` : ""}behind\n`);
    arena.release();
    expect(arena.take().bytes.toString("utf8", headerLength)).toBe("next\n");
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
    expect(writer.finish(line, place)).toBe(sealLine(unsealedLine({ ...line, json }, place)).hash);
  }
  expect(single.buffer.length).toBe(least);
});

test("a line is written as it is sealed as text, whatever its content and wherever memory ends", () => {
  const arena = new Arena(new PendingWrites(16 * 1024 * 1024));
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
    expect(writer.finish(line, place)).toBe(sealed.hash);
    const start = arena.batchStart + arena.endLine();
    texts.push(sealed.text);
    expect(arena.buffer.toString("utf8", start, arena.position)).toBe(`${sealed.text}\n`);
  }
  expect(arena.take().bytes.toString("utf8", headerLength)).toBe(`${texts.join("\n")}\n`);
});
