/**
 * The log against the disk's own limits (GOALS.md, rows "ledger"). Limit and Writ alternate in one run; only the ratios mean
 * anything. `node --conditions=source --import tsx bench/ledger.bench.ts [row …]`
 */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, type SessionId, systemClock, systemRandom } from "#base";
import { type EventInput, type EventLog, JsonlLog, type SessionLog } from "#events";
import { shippedRegistry } from "#schemas";

const work = fs.mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-ledger-"));
const rounds = Number(process.env["WRIT_BENCH_ROUNDS"] ?? 5);
const now = () => systemClock.monotonic();
let count = 0;

function openLog(root: string): JsonlLog {
  const ids = createIds(systemClock, systemRandom);
  const redactor = { redactJson: <T>(value: T) => ({ value }) };
  return new JsonlLog({ root, schemas: shippedRegistry(), redactor, clock: systemClock, ids });
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

async function must<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; error: { message: string } }>): Promise<T> {
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

async function writGroups(events: number, sessions: number): Promise<{ acked: number; filed: number }> {
  const log = openLog(join(work, `writ-${count++}`));
  const open = await Promise.all(Array.from({ length: sessions }, () => session(log)));
  await Promise.all(open.map((each) => each.append(sample(0))));
  const each = events / sessions;
  const start = now();
  await Promise.all(
    open.map(async (one) => {
      for (let index = 0; index < each; index++) await must(one.append(sample(index)));
    }),
  );
  const acked = (events / (now() - start)) * 1000;
  await must(log.shutdown());
  const filed = (events / (now() - start)) * 1000;
  return { acked, filed };
}

async function filledLog(events: number): Promise<{ root: string; session_id: SessionId; file: string; bytes: number; payload: number; ledgers: number }> {
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
  return { root, session_id: one.session_id, file, bytes: fs.statSync(file).size, payload, ledgers: size("ledger/exec.jsonl") + size("ledger/evidence.jsonl") };
}

function rawReplay(file: string): number {
  const start = now();
  let seen = 0;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) if (line !== "") seen += (JSON.parse(line) as { seq: number }).seq > 0 ? 1 : 0;
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

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const print = (row: string, limit: number, writ: number, ratio: number, goal: string) =>
  console.log(`${row.padEnd(46)} limit ${limit.toFixed(0).padStart(8)}  writ ${writ.toFixed(0).padStart(8)}  ratio ${ratio.toFixed(2).padStart(5)}  goal ${goal}`);

const rows: Record<string, () => Promise<void>> = {
  async single() {
    const limit: number[] = [];
    const writ: number[] = [];
    for (let round = 0; round < rounds; round++) {
      limit.push(rawAppends(1500));
      writ.push(await writAppends(1500));
    }
    print("appends/s, 1 session, each awaited", median(limit), median(writ), median(writ) / median(limit), ">= 0.85");
  },
  async group() {
    const limit: number[] = [];
    const acked: number[] = [];
    const filed: number[] = [];
    for (let round = 0; round < rounds; round++) {
      limit.push(rawGroups(200_000, 1000));
      const writ = await writGroups(200_000, 1000);
      acked.push(writ.acked);
      filed.push(writ.filed);
    }
    print("appends/s, 1,000 sessions at once", median(limit), median(acked), median(acked) / median(limit), ">= 0.6");
    print("  the same until all files are synced", median(limit), median(filed), median(filed) / median(limit), "(told, not aimed for)");
  },
  async replay() {
    const log = await filledLog(100_000);
    const [raw, plain, verified]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      raw.push(rawReplay(log.file));
      plain.push(await writReplay(log.root, log.session_id, false));
      verified.push(await writReplay(log.root, log.session_id, true));
    }
    print("replay of 100,000 events, ms", median(raw), median(plain), median(plain) / median(raw), "<= 2");
    print("verified replay of 100,000 events, ms", median(raw), median(verified), median(verified) / median(raw), "<= 3");
    const perEvent = (log.bytes - log.payload) / 100_000;
    print("bytes an event over its payload, events file", 450, perEvent, perEvent / 450, "<= 1");
    print("  with both ledgers", 450, perEvent + log.ledgers / 100_000, (perEvent + log.ledgers / 100_000) / 450, "(told, not aimed for)");
  },
  async growth() {
    const log = openLog(join(work, `growth-${count++}`));
    const one = await session(log);
    const cost: Record<number, number> = {};
    let index = 0;
    for (const size of [10, 1_000, 10_000, 100_000]) {
      while (index < size - 2_000) {
        for (let part = 0; part < 1_000 && index < size - 2_000; part++, index++) one.stage(sample(index));
        await must(one.append(sample(index++)));
      }
      const times: number[] = [];
      for (let part = 0; part < 1_000; part++, index++) {
        const start = now();
        await must(one.append(sample(index)));
        times.push(now() - start);
      }
      cost[size] = median(times) * 1000;
    }
    await must(log.shutdown());
    const [first = 1] = Object.values(cost);
    for (const [size, micros] of Object.entries(cost)) print(`an append at ${size} events, µs (median)`, first, micros, micros / first, "<= 1.1");
  },
  async memory() {
    const log = await filledLog(1_000_000);
    let most = 0;
    const reader = openLog(log.root);
    let seen = 0;
    for await (const batch of reader.readBatches(log.session_id)) {
      if (!batch.ok) throw new Error(batch.error.message);
      seen += batch.value.length;
      most = Math.max(most, process.memoryUsage.rss());
    }
    console.log(`verified replay of ${seen} events: at most ${(most / 2 ** 20).toFixed(0)} MiB RSS (${(log.bytes / 2 ** 20).toFixed(0)} MiB on disk)`);
  },
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(rows)) await rows[name]?.();
fs.rmSync(work, { recursive: true, force: true });
