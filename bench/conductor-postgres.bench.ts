/** The conductor on PostgreSQL with synchronous commits: fences, and an event row for every transition. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "#base";
import { runWorker } from "#kernel";
import { inDatabase } from "./conductor/postgres-server.ts";
import { rawPostgres } from "./conductor/raw-postgres.ts";
import { postgresQueue } from "./conductor/writ-postgres.ts";
import { must, type WritQueue } from "./conductor/writ-queue.ts";
import type { Bench, Contender, Measure } from "./harness.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
const items = campaign ? 20_000 : 10_000;
const singles = campaign ? 4_000 : 1_500;
const finished = campaign ? 10_000_000 : 100_000;

interface Peer {
  bulk(count: number): Promise<void>;
  single(count: number, lanes: number): Promise<void>;
  drain(count: number): Promise<void>;
  close(): Promise<void>;
}

const file = "postgres-queues";
const module = new URL(`./peers/${file}.mjs`, import.meta.url).href;
const peer = (name: string, work: (peer: Peer) => Promise<number>) => (): Promise<number> =>
  inDatabase(async (url) => {
    const made = (await import(module)) as Record<string, (url: string) => Promise<Peer>>;
    const opened = await made[name]?.(url);
    if (!opened) throw new Error(`${name} cannot be measured here`);
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
  const { bullMq } = (await import(module)) as { bullMq: () => Promise<Peer | undefined> };
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
      await raw.enqueue(items);
      return rate(items, () => raw.drain(100, 4));
    }),
  },
  ...names.map(
    (name): Contender => ({
      name,
      role: "peer",
      sample: peer(name, async (queue) => {
        const count = name === "dbos" ? Math.min(items, 1_000) : items;
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
        await queue.enqueue(items, items / 100);
        return rate(items, () => queue.drain(items, 500));
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

/** From the request of one item to its completion, the rest of the world being quiet. */
const latency = (quantile: number): Contender["sample"] =>
  onWrit(async (queue) => {
    const end = new AbortController();
    let completed: (() => void) | undefined;
    const worker = runWorker({
      kernel: {
        ...queue.kernel,
        completeWork: async (...said) => {
          const answer = await queue.kernel.completeWork(...said);
          completed?.();
          return answer;
        },
      },
      worker_id: "w",
      clock: systemClock,
      signal: end.signal,
      handlers: { c: async () => ({ status: "completed" }) },
    });
    const taken: number[] = [];
    for (let index = 0; index < 200; index++) {
      const done = new Promise<void>((resolve) => {
        completed = resolve;
      });
      const started = performance.now();
      await queue.enqueue(1, 1);
      await done;
      taken.push(performance.now() - started);
    }
    end.abort();
    await worker;
    return taken.sort((a, b) => a - b)[Math.floor(taken.length * quantile)] ?? Number.NaN;
  });

/** So many worker processes on 64 runs; the clock runs from the moment that the last one is ready. */
const scaling = (processes: number): Contender["sample"] =>
  onWrit(async (queue, url) => {
    const children = Array.from({ length: processes }, () => {
      const script = fileURLToPath(new URL("./conductor/drain-child.ts", import.meta.url));
      const child = spawn(process.execPath, ["--conditions=writ-source", "--import=tsx", script, url], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const lines = createInterface({ input: child.stdout });
      const ready = new Promise<void>((resolve) => lines.once("line", () => resolve()));
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      return { ready, ended, end: () => child.stdin.end() };
    });
    await Promise.all(children.map(({ ready }) => ready));
    const started = performance.now();
    await queue.enqueue(2 * items, items / 50);
    let last = started;
    for (;;) {
      const open = await Promise.all(
        queue.runs.map(async (run) => must(await queue.kernel.read.openWork(run, 1)).length),
      );
      last = performance.now();
      if (open.every((count) => count === 0)) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const { end } of children) end();
    await Promise.all(children.map(({ ended }) => ended));
    return (2 * items * 1_000) / (last - started);
  }, 64);

/** Milliseconds for a claim of one item, beside `done` finished items. */
const claimBeside = (done: number): Contender["sample"] =>
  onWrit(async (queue) => {
    for (let made = 0; made < done; made += 20_000) {
      await queue.enqueue(Math.min(20_000, done - made), 1_000);
      await queue.drain(Math.min(20_000, done - made), 500);
    }
    const claims = 300;
    await queue.enqueue(claims, claims);
    const started = performance.now();
    for (let index = 0; index < claims; index++)
      must(await queue.kernel.claimWork({ capabilities: ["c"], lease_owner: "w", lease_ms: 60_000, limit: 1 }));
    return (performance.now() - started) / claims;
  });

export const bench: Bench = {
  title: "conductor: leased, fenced, every transition an event, on PostgreSQL with synchronous commits",
  peers: true,
  async measures() {
    const names = await peers();
    return [
      {
        name: "drain",
        unit: "items/s",
        rounds: 3,
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
        name: "requested and drained by 1, 2 and 4 worker processes, 64 runs",
        unit: "items/s",
        rounds: campaign ? 3 : 1,
        warmups: 0,
        contenders: [1, 2, 4].map((processes) => ({
          name: `${processes} processes`,
          role: "writ" as const,
          sample: scaling(processes),
        })),
        goals: [],
      },
      {
        name: "a claim beside finished work",
        unit: "ms",
        rounds: campaign ? 1 : 2,
        warmups: 0,
        contenders: [
          { name: "none finished", role: "writ", sample: claimBeside(0) },
          { name: `${finished.toLocaleString("en")} finished`, role: "writ", sample: claimBeside(finished) },
        ],
        goals: [
          {
            contender: `${finished.toLocaleString("en")} finished`,
            over: "none finished",
            ratio: 1.3,
            sense: "at most",
          },
        ],
      },
    ];
  },
};
