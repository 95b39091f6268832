/** The conductor on SQLite: synchronous FULL, fences, and an event row for every transition. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite, type Sqlite } from "#core/database";
import { drainPlainjob, plainjobLatencies } from "./conductor/plainjob-queue.ts";
import { rawQueue } from "./conductor/raw-queue.ts";
import { must, type WritQueue, writQueue } from "./conductor/writ-queue.ts";
import { type Bench, type Contender, median } from "./harness.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
const items = 20_000;
/** WRIT_FINISHED=1000000 asks for something between. */
const finished = Number(process.env["WRIT_FINISHED"] ?? (campaign ? 10_000_000 : 200_000));

/** A folder that is gone after the sample. */
async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rate(count: number, work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - started);
}

const onRaw = (work: (database: Sqlite) => number | Promise<number>) => (): Promise<number> =>
  inFolder(async (folder) => {
    const database = must(openSqlite(join(folder, "raw.db")));
    const value = await work(database);
    if (database.open) database.close();
    return value;
  });

const onWrit =
  (work: (queue: WritQueue) => Promise<number>, runs = 1) =>
  (): Promise<number> =>
    inFolder(async (folder) => {
      const queue = await writQueue(join(folder, "kernel.db"), runs);
      const value = await work(queue);
      await queue.close();
      return value;
    });

const drains: readonly Contender[] = [
  {
    name: "raw, 2 event rows, batches of 100",
    role: "limit",
    sample: onRaw((database) => {
      const queue = rawQueue(database);
      queue.enqueue(items);
      return rate(items, () => queue.drain(100));
    }),
  },
  { name: "plainjob, FULL", role: "peer", sample: onRaw((database) => drainPlainjob(database, 2_000, true)) },
  { name: "plainjob, as shipped", role: "peer", sample: onRaw((database) => drainPlainjob(database, 4_000, false)) },
  {
    name: "writ worker, 200 at once",
    role: "writ",
    sample: onWrit(async (queue) => {
      await queue.enqueue(items, 1_000);
      return rate(items, () => queue.drain(items, 200));
    }),
  },
  {
    name: "writ worker, 100 runs",
    role: "writ",
    sample: onWrit(async (queue) => {
      await queue.enqueue(items, 200);
      return rate(items, () => queue.drain(items, 200));
    }, 100),
  },
];

const enqueues: readonly Contender[] = [
  {
    name: "raw, one transaction",
    role: "limit",
    sample: onRaw((database) => {
      const queue = rawQueue(database);
      return rate(items, () => queue.enqueue(items));
    }),
  },
  {
    name: "writ, 1,000 in a command",
    role: "writ",
    sample: onWrit((queue) => rate(items, () => queue.enqueue(items, 1_000))),
  },
  {
    name: "writ, one in a command, 16 at once",
    role: "writ",
    sample: onWrit((queue) => rate(4_000, () => queue.enqueueSingly(4_000, 16)), 16),
  },
];

const latency = (quantile: number): Contender["sample"] =>
  onWrit(async (queue) => {
    const taken = (await queue.latencies(400)).toSorted((a, b) => a - b);
    return taken[Math.floor(taken.length * quantile)] ?? Number.NaN;
  });

/** The same three steps by hand, each a commit: request, lease, complete. What a sync costs today is in both. */
const threeCommits = (quantile: number): Contender["sample"] =>
  onRaw((database) => {
    const queue = rawQueue(database);
    const taken = Array.from({ length: 400 }, () => {
      const started = performance.now();
      queue.enqueue(1);
      queue.drain(1);
      return performance.now() - started;
    }).sort((a, b) => a - b);
    return taken[Math.floor(taken.length * quantile)] ?? Number.NaN;
  });

/** The same with the peer, which looks for work at intervals; 1,000 ms as shipped. */
const peerLatency = (quantile: number): Contender["sample"] =>
  onRaw(async (database) => {
    const taken = (await plainjobLatencies(database, 200)).toSorted((a, b) => a - b);
    return taken[Math.floor(taken.length * quantile)] ?? Number.NaN;
  });

/** Microseconds for a claim of one item, the median of many, beside whatever the queue holds. */
async function claimCost(queue: WritQueue): Promise<number> {
  await queue.enqueue(2_000, 1_000);
  const taken: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    const started = performance.now();
    must(await queue.kernel.claimWork({ capabilities: ["c"], lease_owner: "w", lease_ms: 60_000, limit: 1 }));
    taken.push((performance.now() - started) * 1_000);
  }
  return median(taken);
}

/** Filled once, however many rounds ask: ten million items take a quarter of an hour. Gone with the process. */
const besideFinished = once(async () => {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const queue = await writQueue(join(folder, "kernel.db"), 1);
  for (let made = 0; made < finished; made += 50_000) {
    await queue.enqueue(Math.min(50_000, finished - made), 1_000);
    await queue.drain(Math.min(50_000, finished - made), 500);
    if (campaign && made % 1_000_000 === 0) console.error(`${made.toLocaleString("en")} items finished`);
  }
  return queue;
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

export const bench: Bench = {
  title: "conductor: leased, fenced, every transition an event, on SQLite with synchronous FULL",
  peers: true,
  measures: () => [
    {
      name: "drain",
      unit: "items/s",
      rounds: 5,
      warmups: 1,
      contenders: drains,
      goals: [
        {
          contender: "writ worker, 200 at once",
          over: "raw, 2 event rows, batches of 100",
          ratio: 0.55,
          sense: "at least",
        },
        { contender: "writ worker, 200 at once", over: "plainjob, FULL", ratio: 10, sense: "at least" },
        { contender: "writ worker, 200 at once", over: "plainjob, as shipped", ratio: 1, sense: "at least" },
      ],
    },
    { name: "enqueue", unit: "items/s", rounds: 5, warmups: 1, contenders: enqueues, goals: [] },
    {
      name: "request to completion at low load",
      unit: "ms",
      rounds: 5,
      warmups: 1,
      contenders: [
        { name: "the aim: p50", role: "limit", sample: () => 1 },
        { name: "the aim: p99", role: "limit", sample: () => 4 },
        { name: "three commits by hand, p50", role: "limit", sample: threeCommits(0.5) },
        { name: "three commits by hand, p99", role: "limit", sample: threeCommits(0.99) },
        { name: "plainjob, FULL, polling at 1 ms, p50", role: "peer", sample: peerLatency(0.5) },
        { name: "plainjob, FULL, polling at 1 ms, p99", role: "peer", sample: peerLatency(0.99) },
        { name: "writ p50", role: "writ", sample: latency(0.5) },
        { name: "writ p99", role: "writ", sample: latency(0.99) },
      ],
      goals: [
        { contender: "writ p50", over: "the aim: p50", ratio: 1, sense: "at most" },
        { contender: "writ p99", over: "the aim: p99", ratio: 1, sense: "at most" },
      ],
    },
    {
      name: "a claim beside finished work",
      unit: "µs",
      rounds: 5,
      warmups: 1,
      contenders: [
        { name: "none finished", role: "writ", sample: onWrit(claimCost) },
        {
          name: `${finished.toLocaleString("en")} finished`,
          role: "writ",
          sample: async () => claimCost(await besideFinished()),
        },
      ],
      goals: [
        { contender: `${finished.toLocaleString("en")} finished`, over: "none finished", ratio: 1.3, sense: "at most" },
      ],
    },
  ],
};
