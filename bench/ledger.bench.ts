/** The log against the disk's own limits (GOALS.md, rows "ledger"). */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import { createIds, type SessionId, systemClock, systemRandom } from "#core/values";
import { type EventInput, type EventLog, JsonlLog, type SessionLog } from "#log";
import { verifySession } from "#proof";
import { createRedactor } from "../src/log/redaction/redactor.ts";
import type { Bench, Measure } from "./harness.ts";

const work = fs.mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-ledger-"));
const now = () => systemClock.monotonic();
let count = 0;
const schemas = shippedRegistry();
const made = createRedactor();
if (!made.ok) throw new Error(made.error.message);
const redactor = made.value;

function openLog(root: string): JsonlLog {
  const ids = createIds(systemClock, systemRandom);
  return new JsonlLog({ root, schemas, redactor, clock: systemClock, ids });
}

/** A tool's result, as a flow records it; with it the line has about 520 bytes. */
function sample(index: number): EventInput<"tool.result"> {
  return {
    type: "tool.result",
    actor: "tools",
    payload: {
      attempt: 1,
      bytes: 4096 + (index % 1000),
      call_id: `call-${index}`,
      duration_ms: index % 97,
      name: "fs.read",
      result_hash: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
      status: "ok",
    },
  };
}

/** About as long, of a type that leaves nothing in the ledgers. */
function plainSample(index: number): EventInput<"tool.output"> {
  return {
    type: "tool.output",
    actor: "tools",
    payload: {
      call_id: `call-${index}`,
      content: { bytes: 4096 + (index % 1000) },
      content_hash: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
      is_error: false,
      name: "fs.read",
      shown: true,
      trust: "untrusted",
    },
  };
}

const rawEvent = (index: number) => ({
  actor: "tools",
  hash: "0".repeat(64),
  id: `01m7er72ph0000${index}`.padEnd(26, "x"),
  parent_id: null,
  payload: sample(index).payload,
  prev_hash: "0".repeat(64),
  schema_version: "v1",
  seq: index,
  session_id: "SES-20261115-0web7emvw0w3fpvstv11",
  ts: "2026-11-15T04:42:27.921Z",
  type: "tool.result",
});

async function session(log: EventLog): Promise<SessionLog> {
  const created = await log.create({ tier: "ho1" });
  if (!created.ok) throw new Error(created.error.message);
  return created.value;
}

async function must<T>(
  outcome: Promise<{ ok: true; value: T } | { ok: false; error: { message: string } }>,
): Promise<T> {
  const result = await outcome;
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Events a second. */
function rawAppends(events: number): number {
  const fd = fs.openSync(join(work, `raw-${count++}`), "w");
  const start = now();
  for (let index = 0; index < events; index++) {
    fs.writeSync(fd, `${JSON.stringify(rawEvent(index))}\n`);
    fs.fdatasyncSync(fd);
  }
  const rate = (events / (now() - start)) * 1000;
  fs.closeSync(fd);
  return rate;
}

async function writAppends(events: number): Promise<number> {
  const log = openLog(join(work, `writ-${count++}`));
  const one = await session(log);
  await one.append(sample(0));
  const start = now();
  for (let index = 0; index < events; index++) await must(one.append(sample(index)));
  const rate = (events / (now() - start)) * 1000;
  await must(log.shutdown());
  return rate;
}

function rawGroups(events: number, group: number): number {
  const fd = fs.openSync(join(work, `raw-${count++}`), "w");
  const start = now();
  for (let index = 0; index < events; ) {
    let text = "";
    for (const end = index + group; index < end; index++) text += `${JSON.stringify(rawEvent(index))}\n`;
    fs.writeSync(fd, text);
    fs.fdatasyncSync(fd);
  }
  const rate = (events / (now() - start)) * 1000;
  fs.closeSync(fd);
  return rate;
}

async function writGroups(
  events: number,
  sessions: number,
  sample: (index: number) => EventInput,
): Promise<{ acked: number; filed: number }> {
  const log = openLog(join(work, `writ-${count++}`));
  const open = await Promise.all(Array.from({ length: sessions }, () => session(log)));
  await Promise.all(open.map((each) => each.append(sample(0))));
  await must(log.flush()); // the sessions' folders are there: making a folder costs a session, not an event
  const each = events / sessions;
  const start = now();
  await Promise.all(
    open.map(async (one) => {
      for (let index = 0; index < each; index++) {
        const outcome = await one.append(sample(index));
        if (!outcome.ok) throw new Error(outcome.error.message);
      }
    }),
  );
  const acked = (events / (now() - start)) * 1000;
  await must(log.shutdown());
  const filed = (events / (now() - start)) * 1000;
  return { acked, filed };
}

async function filledLog(
  events: number,
): Promise<{ root: string; session_id: SessionId; file: string; bytes: number; payload: number; ledgers: number }> {
  const root = join(work, `filled-${count++}`);
  const log = openLog(root);
  const one = await session(log);
  let payload = 0;
  for (let index = 0; index < events; ) {
    for (const end = Math.min(events, index + 999); index < end; index++) {
      one.stage(sample(index));
      payload += JSON.stringify(sample(index).payload).length;
    }
    if (index < events) await must(one.append(sample(index++)));
  }
  const place = await must(log.locate(one.session_id));
  await must(log.shutdown());
  const file = join(place.folder, ".events.jsonl");
  const size = (name: string) => fs.statSync(join(place.folder, name)).size;
  return {
    root,
    session_id: one.session_id,
    file,
    bytes: fs.statSync(file).size,
    payload,
    ledgers: size("ledger/exec.jsonl") + size("ledger/evidence.jsonl"),
  };
}

function rawReplay(file: string): number {
  const start = now();
  let seen = 0;
  for (const line of fs.readFileSync(file, "utf8").split("\n"))
    if (line !== "") seen += (JSON.parse(line) as { seq: number }).seq > 0 ? 1 : 0;
  if (seen === 0) throw new Error("nothing was read");
  return now() - start;
}

async function writReplay(root: string, session_id: SessionId, verify: boolean): Promise<number> {
  const log = openLog(root);
  const start = now();
  let seen = 0;
  for await (const batch of log.readBatches(session_id, { verify })) {
    if (!batch.ok) throw new Error(batch.error.message);
    for (const event of batch.value) seen += event.seq > 0 ? 1 : 0;
  }
  if (seen === 0) throw new Error("nothing was read");
  return now() - start;
}

/** Everything that `writ session verify` proves: bytes, links, contracts, both ledgers, audit. */
async function writVerify(root: string, session_id: SessionId): Promise<number> {
  const reader = openLog(root);
  const start = now();
  const { events } = await verifySession(session_id, { reader, schemas, rules: ledgerRules });
  if (events === 0) throw new Error("nothing was verified");
  return now() - start;
}

/** Microseconds of an append when the session already holds `before` events. */
async function appendCost(before: number): Promise<number> {
  const log = openLog(join(work, `growth-${count++}`));
  const one = await session(log);
  for (let index = 0; index < before; ) {
    for (const end = Math.min(before, index + 999); index < end; index++) one.stage(sample(index));
    if (index < before) await must(one.append(sample(index++)));
  }
  await must(log.flush());
  spawnSync("sync"); // what was just written must not be written out beside what is measured
  const times: number[] = [];
  for (let index = 0; index < 1_000; index++) {
    const start = now();
    await must(one.append(sample(before + index)));
    times.push(now() - start);
  }
  await must(log.shutdown());
  return (times.toSorted((a, b) => a - b)[500] ?? 0) * 1000;
}

/** MiB that a verified replay adds to what the process holds anyway. */
async function replayMemory(root: string, session_id: SessionId): Promise<number> {
  const log = openLog(root);
  const before = process.memoryUsage.rss();
  let most = before;
  for await (const batch of log.readBatches(session_id)) {
    if (!batch.ok) throw new Error(batch.error.message);
    most = Math.max(most, process.memoryUsage.rss());
  }
  return (most - before) / 2 ** 20;
}

export const bench: Bench = {
  title: "The log against the disk's own limits",
  peers: false,
  async measures(): Promise<readonly Measure[]> {
    const small = await filledLog(100_000);
    let filled: ReturnType<typeof filledLog> | undefined;
    const large = () => (filled ??= filledLog(1_000_000)); // takes a while: only when its turn comes
    const overhead = (small.bytes - small.payload) / 100_000;
    const rawGroup = { name: "raw group commit", role: "limit", sample: () => rawGroups(200_000, 1_000) } as const;
    const writGroup = async (event: (index: number) => EventInput) => (await writGroups(200_000, 1_000, event)).acked;
    const memory: Measure = {
      name: "memory that a verified replay adds",
      unit: "MiB",
      rounds: 3,
      warmups: 1,
      contenders: [
        { name: "100,000 events", role: "limit", sample: () => replayMemory(small.root, small.session_id) },
        {
          name: "1,000,000 events",
          role: "writ",
          sample: async () => replayMemory((await large()).root, (await large()).session_id),
        },
      ],
      goals: [],
    };
    return [
      {
        name: "durable appends, one session, each awaited",
        unit: "events/s",
        rounds: 7,
        warmups: 1,
        contenders: [
          { name: "raw fdatasync", role: "limit", sample: () => rawAppends(1_500) },
          { name: "Writ", role: "writ", sample: () => writAppends(1_500) },
        ],
        goals: [{ contender: "Writ", over: "raw fdatasync", ratio: 0.85, sense: "at least" }],
      },
      {
        name: "durable appends, 1,000 sessions at once",
        unit: "events/s",
        rounds: 9, // the disk and the neighbours change their mood within a minute
        warmups: 1,
        contenders: [
          rawGroup,
          { name: "Writ", role: "writ", sample: () => writGroup(plainSample) },
          { name: "Writ, each with two ledger entries", role: "writ", sample: () => writGroup(sample) },
        ],
        goals: [{ contender: "Writ", over: rawGroup.name, ratio: 0.6, sense: "at least" }],
      },
      {
        name: "replay of 100,000 events",
        unit: "ms",
        rounds: 7,
        warmups: 1,
        contenders: [
          { name: "read + parse", role: "limit", sample: () => rawReplay(small.file) },
          { name: "replay", role: "writ", sample: () => writReplay(small.root, small.session_id, false) },
          { name: "verified replay", role: "writ", sample: () => writReplay(small.root, small.session_id, true) },
          {
            name: "verify: contracts and two ledger entries each, too",
            role: "writ",
            sample: () => writVerify(small.root, small.session_id),
          },
        ],
        goals: [
          { contender: "replay", over: "read + parse", ratio: 2, sense: "at most" },
          { contender: "verified replay", over: "read + parse", ratio: 3, sense: "at most" },
        ],
      },
      ...(process.env["WRIT_CAMPAIGN"] === "1" ? [memory] : []),
      {
        name: "an append to a session that already holds events",
        unit: "µs",
        rounds: 5,
        warmups: 1,
        contenders: [
          { name: "10 events", role: "limit", sample: () => appendCost(10) },
          { name: "100,000 events", role: "writ", sample: () => appendCost(100_000) },
        ],
        goals: [{ contender: "100,000 events", over: "10 events", ratio: 1.1, sense: "at most" }],
      },
      {
        name: "disk over the payload, the journal recycled",
        unit: "bytes/event",
        rounds: 1,
        warmups: 0,
        contenders: [
          { name: "allowed", role: "limit", sample: () => 450 },
          { name: "events", role: "writ", sample: () => overhead },
          {
            name: "events and two ledger entries each",
            role: "writ",
            sample: () => overhead + small.ledgers / 100_000,
          },
        ],
        goals: [{ contender: "events", over: "allowed", ratio: 1, sense: "at most" }],
      },
    ];
  },
};

process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));
