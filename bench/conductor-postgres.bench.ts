/** The conductor on PostgreSQL with synchronous commits: fences, and an event row for every transition. */
import { inDatabase } from "./conductor/postgres-server.ts";
import { rawPostgres } from "./conductor/raw-postgres.ts";
import { seedFinished } from "./conductor/seed-finished.ts";
import { workerProcesses } from "./conductor/worker-processes.ts";
import { postgresQueue } from "./conductor/writ-postgres.ts";
import { must, type WritQueue } from "./conductor/writ-queue.ts";
import type { Bench, Contender, Measure } from "./harness.ts";
import { type QueuePeer, queueOnNode22 } from "./support/peer-on-node-22.ts";

interface ScaledWork {
  readonly count: number;
  /** Items for each process before the clock runs. */
  readonly warm: number;
  readonly concurrency: number;
  readonly workMs: number;
}

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
const items = campaign ? 20_000 : 10_000;
/** Ten thousand are drained in half a second, most of it V8's compiling: ours in some rounds, a peer's new process in all. */
const drained = 30_000;
const singles = campaign ? 4_000 : 1_500;
const finished = campaign ? 10_000_000 : 100_000;

const file = "postgres-queues"; // its packages are installed when a bench asks for them
const module = new URL(`./peers/${file}.mjs`, import.meta.url).href;
const onNode22 = new Set(["graphileWorker", "pgBoss"]);
const open = async (name: string, url: string): Promise<QueuePeer> => {
  if (onNode22.has(name)) return queueOnNode22(name, url);
  const made = (await import(module)) as Record<string, (url: string) => Promise<QueuePeer>>;
  const opened = await made[name]?.(url);
  if (!opened) throw new Error(`${name} cannot be measured here`);
  return opened;
};
const peer = (name: string, work: (peer: QueuePeer) => Promise<number>) => (): Promise<number> =>
  inDatabase(async (url) => {
    const opened = await open(name, url);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  });

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - started);
}

const onRaw = (work: (raw: Awaited<ReturnType<typeof rawPostgres>>) => Promise<number>) => (): Promise<number> =>
  inDatabase(async (url) => {
    const raw = await rawPostgres(url);
    try {
      return await work(raw);
    } finally {
      await raw.close();
    }
  });

const onWrit =
  (work: (queue: WritQueue, url: string) => Promise<number>, runs = 1) =>
  (): Promise<number> =>
    inDatabase(async (url) => {
      const queue = await postgresQueue(url, runs);
      try {
        return await work(queue, url);
      } finally {
        await queue.close();
      }
    });

const peers = async (): Promise<readonly string[]> => {
  const { bullMq } = (await import(module)) as { bullMq: () => Promise<QueuePeer | undefined> };
  const redis = await bullMq();
  await redis?.close();
  if (!redis) console.log("BullMQ is left out: no Redis listens on 127.0.0.1:6379\n");
  return ["graphileWorker", "pgBoss", ...(redis ? ["bullMq"] : []), "dbos"];
};

const drains = (names: readonly string[]): readonly Contender[] => [
  {
    name: "raw, 2 event rows, batches of 100, 4 connections",
    role: "limit",
    sample: onRaw(async (raw) => {
      await raw.enqueue(drained);
      return rate(drained, () => raw.drain(100, 4));
    }),
  },
  ...names.map(
    (name): Contender => ({
      name,
      role: "peer",
      sample: peer(name, async (queue) => {
        const count = name === "dbos" ? 1_000 : drained;
        await queue.bulk(count);
        return rate(count, () => queue.drain(count));
      }),
    }),
  ),
  ...[1, 100].map(
    (runs): Contender => ({
      name: `writ worker, ${runs === 1 ? "one run" : `${runs} runs`}`,
      role: "writ",
      sample: onWrit(async (queue) => {
        await queue.enqueue(drained, drained / 100);
        return rate(drained, () => queue.drain(drained, 500));
      }, runs),
    }),
  ),
];

const enqueues = (names: readonly string[]): readonly Measure[] => [
  {
    name: "enqueue in bulk",
    unit: "items/s",
    rounds: 3,
    warmups: 1,
    contenders: [
      { name: "raw", role: "limit", sample: onRaw((raw) => rate(items, () => raw.enqueue(items))) },
      ...names
        .filter((name) => name !== "dbos")
        .map(
          (name): Contender => ({
            name,
            role: "peer",
            sample: peer(name, (queue) => rate(items, () => queue.bulk(items))),
          }),
        ),
      { name: "writ", role: "writ", sample: onWrit((queue) => rate(items, () => queue.enqueue(items, 1_000))) },
    ],
    goals: [{ contender: "writ", over: "graphileWorker", ratio: 1, sense: "at least" }],
  },
  {
    name: "enqueue one by one, 16 at once",
    unit: "items/s",
    rounds: 3,
    warmups: 1,
    contenders: [
      { name: "raw", role: "limit", sample: onRaw((raw) => rate(singles, () => raw.enqueueSingly(singles, 16))) },
      ...names.map(
        (name): Contender => ({
          name,
          role: "peer",
          sample: peer(name, (queue) => {
            const count = name === "dbos" ? Math.min(singles, 500) : singles;
            return rate(count, () => queue.single(count, 16));
          }),
        }),
      ),
      {
        name: "writ",
        role: "writ",
        sample: onWrit((queue) => rate(singles, () => queue.enqueueSingly(singles, 16)), 16),
      },
    ],
    goals: [{ contender: "writ", over: "raw", ratio: 0.6, sense: "at least" }],
  },
];

/** From the request of one item to its completion, the rest of the world being quiet and the connections open. */
/**
 * Of a process that is warm: before, V8 compiles what runs often, and on two processors that takes one from the server (p99
 * of the first 400 requests 10 to 15 ms, with 10 to 18 ms of processor time in our other threads).
 */
let isWarm = false;
const latency = (quantile: number): Contender["sample"] =>
  onWrit(async (queue) => {
    await queue.latencies(isWarm ? 50 : 8_000); // connects, and prepares every statement on every connection
    isWarm = true;
    const taken = (await queue.latencies(1_500)).toSorted((a, b) => a - b);
    return taken[Math.floor(taken.length * quantile)] ?? Number.NaN;
  });

/** What so many worker processes complete of work on 64 runs, once they have done some: a process is slow at first. */
const scaling = (processes: number, work: ScaledWork) =>
  onWrit(async (queue, url) => {
    const { count, warm, ...how } = work;
    const workers = await workerProcesses(url, { processes, ...how });
    let ms = 0;
    for (const portion of [warm * processes, count]) {
      await queue.enqueue(portion, Math.ceil(portion / 64));
      ms = await workers.complete(portion);
    }
    await workers.end();
    return (count * 1_000) / ms;
  }, 64);
const scaled = (work: ScaledWork): readonly Contender[] =>
  [1, 2, 4].map((processes) => ({
    name: `${processes} ${processes === 1 ? "process" : "processes"}`,
    role: "writ",
    sample: scaling(processes, work),
  }));

/** A database that stays, with so many finished items in it. */
const seeded = new Map<number, Promise<string>>();
const withFinished = (count: number): Promise<string> => {
  const known =
    seeded.get(count) ??
    inDatabase(async (url) => {
      const queue = await postgresQueue(url);
      if (count > 0) await seedFinished(url, queue, count);
      await queue.close();
      return url;
    });
  seeded.set(count, known);
  return known;
};
const besideFinished = (count: number, work: (queue: WritQueue) => Promise<number>) => async (): Promise<number> => {
  const queue = await postgresQueue(await withFinished(count), 10);
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
};

/** Milliseconds for a claim of one item, its commit included. */
async function claimOne(queue: WritQueue): Promise<number> {
  const claims = 300;
  await queue.enqueue(claims, claims);
  const started = performance.now();
  for (let index = 0; index < claims; index++)
    must(await queue.kernel.claimWork({ capabilities: ["c"], lease_owner: "w", lease_ms: 3_600_000, limit: 1 }));
  return (performance.now() - started) / claims;
}

async function drainAll(queue: WritQueue): Promise<number> {
  await queue.enqueue(items, items / 10);
  return rate(items, () => queue.drain(items, 500));
}

const beside = (
  measure: Pick<Measure, "name" | "unit">,
  work: (queue: WritQueue) => Promise<number>,
  goal: { readonly ratio: number; readonly sense: "at most" | "at least" } | undefined,
): Measure => {
  const many = `${finished.toLocaleString("en")} finished`;
  return {
    ...measure,
    rounds: 3,
    warmups: 1,
    contenders: [
      { name: "none finished", role: "writ", sample: besideFinished(0, work) },
      { name: many, role: "writ", sample: besideFinished(finished, work) },
    ],
    goals: goal ? [{ contender: many, over: "none finished", ...goal }] : [],
  };
};

export const bench: Bench = {
  title: "conductor: leased, fenced, every transition an event, on PostgreSQL with synchronous commits",
  peers: true,
  async measures() {
    const names = await peers();
    return [
      {
        name: "drain",
        unit: "items/s",
        rounds: 5,
        warmups: 1,
        contenders: drains(names),
        goals: [
          {
            contender: "writ worker, 100 runs",
            over: "raw, 2 event rows, batches of 100, 4 connections",
            ratio: 0.6,
            sense: "at least",
          },
          { contender: "writ worker, 100 runs", over: "graphileWorker", ratio: 1, sense: "at least" },
        ],
      },
      ...enqueues(names),
      {
        name: "request to completion at low load",
        unit: "ms",
        rounds: 3,
        warmups: 1,
        contenders: [
          { name: "the aim: p50", role: "limit", sample: () => 4 },
          { name: "the aim: p99", role: "limit", sample: () => 8 },
          { name: "writ p50", role: "writ", sample: latency(0.5) },
          { name: "writ p99", role: "writ", sample: latency(0.99) },
        ],
        goals: [
          { contender: "writ p50", over: "the aim: p50", ratio: 1, sense: "at most" },
          { contender: "writ p99", over: "the aim: p99", ratio: 1, sense: "at most" },
        ],
      },
      {
        name: "drained by worker processes, work that takes 100 ms, 16 at once in each",
        unit: "items/s",
        rounds: campaign ? 3 : 1,
        warmups: 0,
        contenders: scaled({ count: 960, warm: 64, concurrency: 16, workMs: 100 }),
        goals: [],
      },
      {
        name: "drained by worker processes, work that takes no time: what the machine's processors allow",
        unit: "items/s",
        rounds: campaign ? 3 : 1,
        warmups: 0,
        contenders: scaled({ count: 2 * items, warm: 5_000, concurrency: 500, workMs: 0 }),
        goals: [],
      },
      beside({ name: "a claim beside finished work", unit: "ms" }, claimOne, { ratio: 1.3, sense: "at most" }),
      beside({ name: "drain beside finished work", unit: "items/s" }, drainAll, undefined),
    ];
  },
};
