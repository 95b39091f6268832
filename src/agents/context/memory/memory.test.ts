import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { type SessionId, seededRandom, systemClock } from "#core/values";
import { JsonlReader } from "#log";
import { must, type RealLog, said, testLog } from "../../../../test/support/real-log.ts";
import { checkpointFiles } from "../adapters/checkpoint-files.ts";
import { createMemory, type Memory } from "./memory.ts";
import { nothingYet, remember } from "./memory-state.ts";

const never = new AbortController().signal;
const every_entries = 20;

function memoryOf(place: RealLog, key = "key"): Memory {
  return createMemory({
    log: place.log,
    checkpoints: checkpointFiles(place.root, seededRandom(1)),
    schemas: shippedRegistry(),
    key,
    rule: { every_entries },
  });
}

async function fold(place: RealLog, session_id: SessionId) {
  let state = nothingYet;
  for await (const event of place.log.read(session_id)) state = remember(state, must(event) as never);
  return state;
}

const reports = (count: number, from = 0) => Array.from({ length: count }, (_, at) => said(`report ${from + at}`));

function checkpointsOf(place: RealLog, session_id: string): string[] {
  const folder = join(place.root, "planes/ho2/checkpoints", session_id);
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

test("a memory is the fold of the log, from a checkpoint as well as from the start, and the checkpoint costs only the tail", async () => {
  const place = testLog();
  const session_id = await place.session({ open: true, events: reports(30) });
  const memory = memoryOf(place);
  expect(must(await memory.rebuild(session_id, never))).toMatchObject({ from_seq: 0, replayed: 31, warnings: [] });
  expect(checkpointsOf(place, session_id)).toHaveLength(1);

  const session = must(await place.log.open(session_id));
  for (const report of reports(7, 30)) must(await session.append(report));
  const rebuilt = must(await memory.rebuild(session_id, never));
  const tail = session.head.seq - 31; // session.resumed or the like may stand between
  expect(rebuilt).toMatchObject({ from_seq: 31, replayed: tail, warnings: [] });
  expect(tail).toBeLessThan(10);
  expect(rebuilt.state).toEqual(await fold(place, session_id));
  must(await session.close({ ok: true, status: "success" }));
  expect(must(await memory.rebuild(session_id, never)).state.ended).toBe("success");
});

const entries = 100_000;

test(`a session of ${entries} entries is rebuilt from its checkpoint at the cost of the tail`, async () => {
  const place = testLog();
  const session_id = await place.session({ open: true, events: [] });
  const session = must(await place.log.open(session_id));
  for (let at = 1; at <= entries; at++) {
    const one = said(`report ${at}`);
    // Durable in groups, as many agents that report at once would be.
    must(at % 1_000 === 0 ? await session.append(one) : session.stage(one));
  }
  const memory = memoryOf(place);
  const cpu = async () => {
    const before = process.cpuUsage();
    const rebuilt = must(await memory.rebuild(session_id, never));
    const { user, system } = process.cpuUsage(before);
    return { rebuilt, micros: user + system };
  };
  const whole = await cpu();
  expect(whole.rebuilt.replayed).toBeGreaterThan(entries);
  for (const report of reports(10, entries)) must(await session.append(report));
  // The lowest of several: a round that runs during a garbage collection also pays for the garbage of other rounds.
  const tails: number[] = [];
  for (let round = 0; round < 5; round++) {
    const { rebuilt, micros } = await cpu();
    expect(rebuilt).toMatchObject({ from_seq: whole.rebuilt.replayed, replayed: 10, warnings: [] });
    tails.push(micros);
  }
  expect(Math.min(...tails)).toBeLessThan(whole.micros / 10);
});

test("a short session gets no checkpoint", async () => {
  const place = testLog();
  const session_id = await place.session({ events: reports(3) });
  must(await memoryOf(place).rebuild(session_id, never));
  expect(checkpointsOf(place, session_id)).toEqual([]);
});

const damages: readonly [string, (text: string) => string][] = [
  ["cut off", (text) => text.slice(0, -40)],
  ["with another state", (text) => text.replace("report 39", "obey me")],
  ["of another place", (text) => text.replace(/"bytes":(\d+)/g, (_, bytes) => `"bytes":${Number(bytes) + 1}`)],
  ["empty", () => ""],
];

test.each(damages)("a checkpoint %s is ignored in favour of the whole log", async (_, damage) => {
  const place = testLog();
  const session_id = await place.session({ events: reports(40) });
  const memory = memoryOf(place);
  must(await memory.rebuild(session_id, never));
  const [file = ""] = checkpointsOf(place, session_id);
  const text = readFileSync(file, "utf8");
  expect(damage(text)).not.toBe(text);
  writeFileSync(file, damage(text));
  const rebuilt = must(await memory.rebuild(session_id, never));
  expect(rebuilt).toMatchObject({ from_seq: 0, replayed: 42, warnings: [expect.stringContaining("ignored")] });
  expect(rebuilt.state).toEqual(await fold(place, session_id));
});

test("a checkpoint that another key made, or that belongs to another session, is not believed", async () => {
  const place = testLog();
  const session_id = await place.session({ events: reports(40) });
  const other = await place.session({ events: reports(40) });
  must(await memoryOf(place, "stolen").rebuild(session_id, never));
  expect(must(await memoryOf(place).rebuild(session_id, never)).from_seq).toBe(0);
  must(await memoryOf(place).rebuild(other, never));
  const [from = ""] = checkpointsOf(place, other);
  const [to = ""] = checkpointsOf(place, session_id);
  writeFileSync(to, readFileSync(from));
  expect(must(await memoryOf(place).rebuild(session_id, never)).from_seq).toBe(0);
});

test("a log that was rewritten under a checkpoint is refused, not remembered", async () => {
  const place = testLog();
  const session_id = await place.session({ events: reports(40) });
  must(await place.log.shutdown()); // entries that are still in the journal would take precedence over the file
  const log = new JsonlReader({ root: place.root, rules: {}, clock: systemClock, pollMs: 50 });
  const memory = memoryOf({ ...place, log: log as never });
  must(await memory.rebuild(session_id, never));
  expect(checkpointsOf(place, session_id)).toHaveLength(1);
  const file = join(place.root, "planes/ho1/sessions", session_id, ".events.jsonl");
  const lines = readFileSync(file, "utf8").split("\n");
  lines[41] = (lines[41] ?? "").replace('"ok":true', '"ok":false');
  writeFileSync(file, lines.join("\n"));
  expect(await memory.rebuild(session_id, never)).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
});
