import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ok } from "#core/values";
import { halted, output, readAll, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import type { Event } from "../event.ts";
import { type JournalMemory, scanJournal } from "./scan-journal.ts";

/** A workspace as a dead process leaves it: a journal with three batches and no session file. */
async function deadWorkspace(): Promise<{
  events: Event[];
  journal: string;
  copy: () => { root: string; journal: string };
}> {
  const root = temporaryFolder();
  const log = testLog(root, { limits: { idleMs: 60_000 } });
  const session = value(await log.create({ tier: "ho1" }));
  const events: Event[] = [];
  for (const event of [start, halted("Grüße"), output("last")]) events.push(value(await session.append(event)));
  const folder = join(root, "planes/hot/journal");
  const [instance = ""] = readdirSync(folder).filter((name) => name.startsWith("journal-"));
  const journal = join(folder, instance, "000001.journal");
  const copy = () => {
    const other = temporaryFolder();
    const target = join(other, "planes/hot/journal", instance);
    mkdirSync(target, { recursive: true });
    copyFileSync(journal, join(target, "000001.journal"));
    return { root: other, journal: join(target, "000001.journal") };
  };
  return { events, journal, copy };
}

const contentEnd = (journal: string) => readFileSync(journal).findLastIndex((byte) => byte !== 0) + 1;

describe("a dead process's journal", () => {
  test("cut anywhere in its last batch gives back every batch before it; the cut is recorded", async () => {
    const { events, journal, copy } = await deadWorkspace();
    const session_id = events[0]?.session_id as never;
    const end = contentEnd(journal);
    const lastBatch = readFileSync(journal).lastIndexOf("@batch ");
    for (const reserved of [true, false])
      for (
        let at = lastBatch;
        at <= end;
        at += at < lastBatch + 2 || (at > lastBatch + 45 && at < lastBatch + 50) || at > end - 3 ? 1 : 67
      ) {
        const other = copy();
        const size = statSync(other.journal).size;
        truncateSync(other.journal, at);
        if (reserved) truncateSync(other.journal, size); // the rest of the reserved room is zeros
        const whole = at === end ? 3 : 2;
        const log = testLog(other.root);
        expect((await readAll(log, session_id)).length, `cut at ${at}`).toBe(whole);
        const session = value(await log.open(session_id));
        const types = (await readAll(log, session_id)).map(({ type }) => type);
        expect(types).toEqual([...events.slice(0, whole).map(({ type }) => type), "log.recovered"]);
        const note = (await readAll(log, session_id)).at(-1)?.payload;
        expect(note).toMatchObject({ at_seq: whole, cut_bytes: at === end ? 0 : at - lastBatch });
        value(await session.append(halted("on")));
        value(await log.shutdown());
      }
  });

  test("damaged anywhere before its end is refused, for reading and for writing, by file and offset", async () => {
    const { events, journal, copy } = await deadWorkspace();
    const session_id = events[0]?.session_id as never;
    const end = contentEnd(journal);
    for (let at = 0; at < end; at += 41) {
      const other = copy();
      const bytes = readFileSync(other.journal);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      writeFileSync(other.journal, bytes);
      const log = testLog(other.root);
      const outcome = await log.create({ tier: "ho1" });
      expect(outcome, `byte ${at}`).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
      expect(outcome.ok ? "" : outcome.error.message).toMatch(/000001\.journal, offset \d+/);
      let refused = false;
      for await (const event of log.read(session_id)) refused ||= !event.ok;
      expect(refused, `reading, byte ${at}`).toBe(true);
    }
  });

  test("with a hole in a batch that others follow is damage, not a torn tail", async () => {
    const { journal, copy } = await deadWorkspace();
    const bytes = readFileSync(journal);
    const second = bytes.indexOf("@batch 000000000002");
    for (const hole of [second, second + 60]) {
      const other = copy();
      const holed = Buffer.from(bytes);
      holed.fill(0, hole, hole + 30);
      writeFileSync(other.journal, holed);
      expect(await testLog(other.root).create({ tier: "ho1" })).toMatchObject({
        ok: false,
        error: { code: "LEDGER_CORRUPT" },
      });
    }
  });

  test("whose session file is not what the claim says is refused", async () => {
    const root = temporaryFolder();
    const first = testLog(root);
    const session = value(await first.create({ tier: "ho1" }));
    for (const event of [start, halted("a")]) value(await session.append(event));
    value(await first.shutdown());
    const writer = testLog(root, { limits: { idleMs: 60_000 } });
    const taken = value(await writer.open(session.session_id));
    value(await taken.append(halted("b")));
    const file = join(root, "planes/ho1/sessions", session.session_id, ".events.jsonl");
    const whole = readFileSync(file);
    truncateSync(file, whole.length - 1);
    let refused = false;
    for await (const event of testLog(root).read(session.session_id)) refused ||= !event.ok;
    expect(refused).toBe(true);
    writeFileSync(file, whole);
  });
});

describe("a reader that polls", () => {
  test("finds what a full scan finds, and reads no batch twice", async () => {
    const root = temporaryFolder();
    const log = testLog(root, { limits: { idleMs: 60_000 } });
    const followed = value(await log.create({ tier: "ho1" }));
    const other = value(await log.create({ tier: "ho1" }));
    value(await followed.append(start));
    const folder = join(root, "planes/hot/journal");
    const [instance = ""] = readdirSync(folder).filter((name) => name.startsWith("journal-"));
    const path = join(folder, instance, "000001.journal");
    const look = async (memory?: JournalMemory) => {
      const scanned = await scanJournal(path, `${instance}/000001.journal`, followed.session_id, memory);
      if (!scanned.ok) return scanned;
      scanned.value.close();
      const { segments, released, end, owner } = scanned.value;
      const claimed = [...segments].map(([session_id, { base, ranges, bytes }]) => ({
        session_id,
        base,
        ranges: [...ranges],
        bytes,
      }));
      return ok({ claimed, released: [...released], end, owner });
    };
    const memory: JournalMemory = new Map();
    for (let round = 1; round <= 6; round++) {
      value(await other.append(round === 1 ? start : output("x".repeat(round * 100))));
      if (round % 2 === 0) value(await followed.append(halted(`round ${round}`)));
      if (round === 4) value(await other.release());
      if (round === 4) break;
      expect(await look(memory)).toEqual(await look());
    }
    expect(await look(memory)).toEqual(await look());
    // Damage in the part already read is not seen by this reader; a reader that starts at the beginning refuses it.
    const bytes = readFileSync(path);
    const damagedAt = bytes.indexOf("session_id", 200) + 14;
    bytes[damagedAt] = (bytes[damagedAt] as number) ^ 1;
    writeFileSync(path, bytes);
    expect((await look(memory)).ok).toBe(true);
    expect((await look()).ok).toBe(false);
    // A file that became shorter is another file: it is read from the start.
    truncateSync(path, 100);
    expect(await look(memory)).toEqual(await look());
  });
});
