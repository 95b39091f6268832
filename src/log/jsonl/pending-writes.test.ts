import { expect, test } from "vitest";
import { fraction, seededRandom } from "#core/values";
import { Arena, type Batch } from "./arena.ts";
import { chunkBytes } from "./chunk.ts";
import { type FlushPlan, fileNumber, PendingWrites, sessionFiles } from "./pending-writes.ts";

/** What a round would write to the files of its sessions. */
function written({ memories, ranges, offsets }: FlushPlan): string[] {
  return Array.from({ length: offsets.length - 1 }, (_, file) => {
    let text = "";
    for (let line = offsets[file] ?? 0; line < (offsets[file + 1] ?? 0); line++) {
      const [memory = 0, start, end] = ranges.subarray(line * 3);
      text += memories[memory]?.toString("utf8", start, end);
    }
    return text;
  });
}

/** One line as a batch of its own. */
function durable(pending: PendingWrites, arena: Arena, file: number, text: string): Batch {
  const start = arena.position - arena.batchStart;
  arena.add(text);
  const end = arena.position - arena.batchStart;
  const batch = arena.take();
  pending.add(batch, file, start, end);
  arena.release();
  return batch;
}

test("lines are flushed by session and file, in the order in which they became durable", () => {
  const pending = new PendingWrites(0);
  const arena = new Arena(pending);
  const [one, two, three] = [pending.number(), pending.number(), pending.number()];
  for (const [session, file, text] of [
    [one, 0, "a1"],
    [two, 0, "b1"],
    [one, 1, "a1 exec"],
    [one, 0, "a2"],
    [two, 2, "b1 evidence"],
    [three, 0, "c1"],
  ] as const)
    durable(pending, arena, fileNumber(session, file), text);
  const plan = pending.plan([two, one]);
  expect(written(plan)).toEqual(["b1\n", "", "b1 evidence\n", "a1\na2\n", "a1 exec\n", ""]);
  expect(pending.linesOf(one, "events").toString()).toBe("a1\na2\n");
  durable(pending, arena, fileNumber(two, 0), "b2");
  pending.drop(plan, 1); // the round failed after its first session
  expect(sessionFiles.map((file) => String(pending.linesOf(two, file)))).toEqual(["b2\n", "", ""]);
  expect(sessionFiles.map((file) => String(pending.linesOf(one, file)))).toEqual(["a1\na2\n", "a1 exec\n", ""]);
  expect([...pending.ends()]).toEqual([
    [one, { first: "a1", last: "a2" }],
    [three, { first: "c1", last: "c1" }],
    [two, { first: "b2", last: "b2" }],
  ]);
});

test("memory is reused once nothing is written there and everything in it is flushed, and not before", () => {
  const pending = new PendingWrites(2 * chunkBytes);
  const arena = new Arena(pending);
  const session = pending.number();
  const large = "x".repeat(chunkBytes / 8);
  const first = durable(pending, arena, fileNumber(session, 0), "first").chunk;
  while (durable(pending, arena, fileNumber(session, 0), large).chunk === first);
  expect(pending.take(1) === first).toBe(false);
  const plan = pending.plan([session]);
  expect(pending.take(1) === first).toBe(false);
  expect(pending.linesOf(session, "events").toString("utf8", 0, 6)).toBe("first\n");
  pending.drop(plan, 1);
  expect([pending.take(1), pending.take(1)].includes(first)).toBe(true);
});

test("memory is kept for the next lines up to a limit", () => {
  const pending = new PendingWrites(2 * chunkBytes);
  const taken = [pending.take(1), pending.take(1), pending.take(1)];
  for (const chunk of taken) pending.leave(chunk);
  const again = [pending.take(1), pending.take(1), pending.take(1)];
  expect(again.filter((chunk) => taken.includes(chunk))).toHaveLength(2);
});

test("whatever is recorded and however rounds end, every line goes once to its own file", () => {
  const random = seededRandom(20_261_116);
  const below = (most: number) => Math.floor(fraction(random) * most);
  const pending = new PendingWrites(chunkBytes);
  const arena = new Arena(pending);
  const all = Array.from({ length: 7 }, () => pending.number());
  const said = new Map<string, string>();
  const flushed = new Map<string, string>();
  const add = (texts: Map<string, string>, session: number, file: number, text: string | undefined) =>
    texts.set(`${session} ${file}`, `${texts.get(`${session} ${file}`) ?? ""}${text}`);
  for (let round = 0; round < 80; round++) {
    for (let batch = below(4); batch > 0; batch--) {
      const lines = Array.from({ length: 1 + below(20) }, (_, line) => {
        const start = arena.position - arena.batchStart;
        arena.add(`${round}.${batch}.${line} ${"€".repeat(below(40) === 0 ? 50_000 : below(200))}`);
        return { session: all[below(7)] ?? 1, file: below(3), start, end: arena.position - arena.batchStart };
      });
      const taken = arena.take();
      if (below(9) > 0)
        for (const { session, file, start, end } of lines) {
          pending.add(taken, fileNumber(session, file), start, end);
          add(said, session, file, taken.bytes.toString("utf8", start, end));
        } // otherwise the disk was full, and the batch was not recorded
      arena.release();
    }
    const chosen = all.filter(() => below(3) > 0);
    const plan = pending.plan(chosen);
    const done = below(4) === 0 ? below(chosen.length + 1) : chosen.length;
    const texts = written(plan);
    for (const [index, session] of chosen.slice(0, done).entries())
      for (const file of [0, 1, 2]) add(flushed, session, file, texts[index * 3 + file]);
    pending.drop(plan, done);
    for (const session of all)
      for (const [file, name] of sessionFiles.entries())
        expect(`${flushed.get(`${session} ${file}`) ?? ""}${pending.linesOf(session, name).toString()}`).toBe(
          said.get(`${session} ${file}`) ?? "",
        );
  }
  pending.drop(pending.plan(all), all.length);
  expect(pending.ends().size).toBe(0);
});
