// Conductors and workers whose wall clocks are wrong, and are set to and fro while they work, on one store.
import { afterEach, beforeEach, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { openPostgres, postgresAddress } from "#core/database";
import { createIds, sleep, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel, openPostgresKernel } from "#runs";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { must, openKernel, startKernelProcess, type Workplace, workplace } from "../support/kernel-harness.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";

const count = process.env["WRIT_CAMPAIGN"] === "1" ? 2_000 : 200;
const minutes = 60_000;
/** None dies and each heartbeat comes, so every expiry there is was a clock's. */
const held = { leaseMs: 60_000, turnLeaseMs: 60_000, workMs: 2 };
const crew = [
  { id: "sound", roles: ["conductor", "worker"] },
  { id: "ahead", roles: ["conductor", "worker"], clock: { aheadMs: 10 * minutes } },
  { id: "behind", roles: ["worker"], clock: { aheadMs: -10 * minutes } },
  { id: "forward", roles: ["worker"], clock: { stepMs: 30 * minutes, everyMs: 150 } },
  { id: "back", roles: ["conductor", "worker"], clock: { stepMs: -30 * minutes, everyMs: 200 } },
] as const;

let place: Workplace;
beforeEach(() => {
  place = workplace();
});
afterEach(() => place.clear());

async function work(store: string, kernel: Kernel): Promise<readonly number[]> {
  const run_id = createIds(systemClock, systemRandom).runId();
  must(await kernel.startRun({ run_id, app_id: "counting", objective: `count ${count}`, actor_id: "ada" }));
  const processes = crew.map((each) => startKernelProcess(store, { ...held, folder: place.folder, ...each }));
  const failed = Promise.race(processes.map(({ exited }) => exited));
  const closed = async (): Promise<void> => {
    while (must(await kernel.read.run(run_id)).status !== "closed") await sleep(systemClock, 50);
  };
  await Promise.race([closed(), failed]);
  for (const { child } of processes) child.kill("SIGTERM");
  await Promise.all(processes.map(({ exited }) => exited));

  expect(must(await kernel.read.run(run_id)).close_reason).toBe("completed");
  const items = must(await kernel.read.workItems(run_id));
  expect(items.map(({ status, retry_count }) => `${status} ${retry_count}`)).toEqual(
    Array.from({ length: count }, () => "completed 0"),
  );
  const events = must(await kernel.read.events(run_id, { after: 0, limit: 1_000_000 }));
  const ends = events.filter(({ event_type }) => /^work\.(completed|failed|blocked|canceled)$/.test(event_type));
  expect(ends).toHaveLength(count);
  expect(new Set(ends.map(({ payload }) => payload["work_id"])).size).toBe(count);
  expect(events.filter(({ event_type }) => /^(work\.requeued|app\.turn\.failed)$/.test(event_type))).toEqual([]);
  expect(must(await verifyRun(kernel.read, run_id)).violations).toEqual([]);
  const finishers = new Set(ends.map(({ actor_id }) => actor_id));
  expect(finishers.size).toBeGreaterThan(2);
  return processes.flatMap(({ said }) => said.flatMap(({ step }) => (typeof step === "number" ? [step] : [])));
}

test("on SQLite no step and no skew of a wall clock fails an item or costs it a retry, and each is said", async () => {
  const { kernel, close } = openKernel(place.file);
  const steps = await work(place.file, kernel);
  expect(steps.some((step) => step > 5 * minutes)).toBe(true);
  expect(steps.some((step) => step < -5 * minutes)).toBe(true);
  await close();
}, 300_000);

test("on PostgreSQL neither: its leases count by the database's clock", async () => {
  const url = await freshDatabase();
  const address = must(postgresAddress(url));
  const postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  const store = must(await openPostgresKernel(postgres, { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  await work(url, kernel);
  await kernel.drain();
  await postgres.close();
}, 300_000);
