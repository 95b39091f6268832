// A real process on a real database. Arguments: FILE OPTIONS
// It prints a line for every answer it got, written before anything else happens: what was printed was acknowledged.
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { openSqlite } from "#core/database";
import { createIds, type Failpoint, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { createKernel, runConductor } from "#runs";
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

const store = openSqliteKernel(file, { clock: systemClock, failpoint });
if (!store.ok) throw new Error(store.error.message);
const used = options.synchronous === undefined ? store.value : careless();

function careless(): KernelStore {
  const [writer, reader] = [openSqlite(file), openSqlite(file)];
  if (!writer.ok || !reader.ok) throw new Error("the database cannot be opened");
  writer.value.pragma("synchronous = OFF");
  return sqliteKernel(writer.value, reader.value, { clock: systemClock });
}

const ids = createIds(systemClock, systemRandom);
const inner = createKernel({
  store: used,
  clock: systemClock,
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
const documents = fileDocuments(join(dirname(file), "documents"), ids);
const end = new AbortController();
process.on("SIGTERM", () => end.abort());
const loops: Promise<void>[] = [];
const common = { kernel, clock: systemClock, signal: end.signal };
if (options.roles.includes("conductor"))
  loops.push(
    runConductor({
      ...common,
      conductor_id: options.id,
      apps: [countingApp],
      documents,
      turnLeaseMs: 500,
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
          await sleep(systemClock, options.workMs ?? 1, signal);
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
await store.value.close();
