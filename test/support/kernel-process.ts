// A real process on a real database. Arguments: FILE (or postgres://…) OPTIONS
// It prints a line for every answer it got, written before anything else happens: what was printed was acknowledged.
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { openPostgres, openSqlite, postgresAddress } from "#core/database";
import { type Clock, createIds, type Failpoint, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { createKernel, openPostgresKernel, runConductor } from "#runs";
import { archiveRun } from "../../src/runs/kernel/archive-run.ts";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { fileDocuments } from "../../src/runs/kernel/store/files/documents.ts";
import { type KernelStore } from "../../src/runs/kernel/store/port.ts";
import { openSqliteKernel, sqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { countingApp } from "./counting-app.ts";

interface Options {
  readonly id: string;
  readonly roles: readonly ("conductor" | "worker")[];
  /** A run to start, by id and objective. */
  readonly start?: { readonly run_id: RunId; readonly objective: string };
  readonly archive?: RunId;
  readonly leaseMs?: number;
  readonly turnLeaseMs?: number;
  /** A wall clock that is wrong by this, and set to and fro by `stepMs` every `everyMs`. */
  readonly clock?: { readonly aheadMs?: number; readonly stepMs?: number; readonly everyMs?: number };
  /** Where documents are; beside the file by default. */
  readonly folder?: string;
  readonly workMs?: number;
  /** Dies here, as by kill -9, when it comes by for the nth time. */
  readonly die?: { readonly at: string; readonly nth: number };
  /** Weaker than the product's, to show that a test can tell. */
  readonly synchronous?: "OFF";
}

const [file = "", text = "{}"] = process.argv.slice(2);
const options = JSON.parse(text) as Options;
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
let passed = 0;
const failpoint: Failpoint = (name) => {
  if (name === options.die?.at && ++passed === options.die.nth) process.kill(process.pid, "SIGKILL");
};

const clock = wrongClock(options.clock ?? {});
const store = file.startsWith("postgres:") ? await inDatabase() : inFile();
const used = options.synchronous === undefined ? store : careless();

function wrongClock({ aheadMs = 0, stepMs = 0, everyMs = 1 }: NonNullable<Options["clock"]>): Clock {
  const begun = systemClock.monotonic();
  const step = () => (Math.floor((systemClock.monotonic() - begun) / everyMs) % 2) * stepMs;
  return { ...systemClock, now: () => systemClock.now() + aheadMs + (stepMs === 0 ? 0 : step()) };
}

function inFile(): KernelStore {
  const onClockStep = ({ by_ms }: { readonly by_ms: number }) => say({ step: by_ms });
  const opened = openSqliteKernel(file, { clock, failpoint, onClockStep });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

async function inDatabase(): Promise<KernelStore> {
  const address = postgresAddress(file);
  if (!address.ok) throw new Error(address.error.message);
  const postgres = await openPostgres(address.value, { clock, random: systemRandom });
  const opened = await openPostgresKernel(postgres, { clock });
  if (!opened.ok) throw new Error(opened.error.message);
  return { ...opened.value, close: () => postgres.close() };
}

function careless(): KernelStore {
  const [writer, reader] = [openSqlite(file), openSqlite(file)];
  if (!writer.ok || !reader.ok) throw new Error("the database cannot be opened");
  writer.value.pragma("synchronous = OFF");
  return sqliteKernel(writer.value, reader.value, { clock });
}

const ids = createIds(clock, systemRandom);
const inner = createKernel({
  store: used,
  clock,
  ids,
  schemas: shippedRegistry(),
  defer: setImmediate,
});
const kernel: typeof inner = {
  ...inner,
  async completeWork(lease, patches, result) {
    const answer = await inner.completeWork(lease, patches, result);
    if (answer.ok) say({ completed: lease.work_id, epoch: lease.lease_epoch });
    return answer;
  },
};
const documents = fileDocuments(join(options.folder ?? dirname(file), "documents"), ids);
const end = new AbortController();
process.on("SIGTERM", () => end.abort());
const loops: Promise<void>[] = [];
const common = { kernel, clock, signal: end.signal };
if (options.roles.includes("conductor"))
  loops.push(
    runConductor({
      ...common,
      conductor_id: options.id,
      apps: [countingApp],
      documents,
      turnLeaseMs: options.turnLeaseMs ?? 500,
      pollMs: 50,
      sweepMs: 100,
    }),
  );
if (options.roles.includes("worker"))
  loops.push(
    runWorker({
      ...common,
      worker_id: options.id,
      leaseMs: options.leaseMs ?? 500,
      pollMs: 50,
      concurrency: 4,
      handlers: {
        count: async (lease, { signal }) => {
          await sleep(clock, options.workMs ?? 1, signal);
          return {
            status: "completed",
            patches: [{ base_revision_id: null, ops: [{ op: "text.edit", find: "a", replace: lease.work_id }] }],
          };
        },
      },
    }),
  );
if (options.start) {
  const started = await kernel.startRun({ ...options.start, app_id: "counting", actor_id: options.id });
  if (started.ok) say({ started: started.value.run_id });
  for (;;) {
    const run = await kernel.read.run(options.start.run_id);
    if (run.ok && run.value.status === "closed") break;
    await sleep(systemClock, 10);
  }
  if (options.archive) await archiveRun(kernel, documents, options.archive, failpoint);
  say({ closed: options.start.run_id });
  end.abort();
}
await Promise.all(loops);
await kernel.drain();
await store.close();
