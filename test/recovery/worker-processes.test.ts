import { afterEach, beforeEach, expect, test } from "vitest";
import { createIds, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import {
  type KernelProcess,
  must,
  openKernel,
  startKernelProcess,
  type Workplace,
  workplace,
} from "../support/kernel-harness.ts";

let place: Workplace;
beforeEach(() => {
  place = workplace();
});
afterEach(() => place.clear());

const count = process.env["WRIT_CAMPAIGN"] === "1" ? 5_000 : 400;

test("four workers on one database, stopped and killed at will: every item ends exactly once", async () => {
  const { kernel, close } = openKernel(place.file);
  const runs: RunId[] = [];
  const begin = async (): Promise<void> => {
    const run_id = createIds(systemClock, systemRandom).runId();
    must(await kernel.startRun({ run_id, app_id: "counting", objective: `count ${count}`, actor_id: "ada" }));
    runs.push(run_id);
  };
  await begin();
  const conductor = startKernelProcess(place.file, { id: "conductor", roles: ["conductor"] });
  const hire = (id: string): KernelProcess =>
    startKernelProcess(place.file, { id, roles: ["worker"], leaseMs: 400, workMs: 20 });
  const workers = new Map(["w1", "w2", "w3", "w4"].map((id) => [id, hire(id)]));
  const said: Record<string, unknown>[] = [];
  const closed = async (): Promise<boolean> => must(await kernel.read.run(runs.at(-1) as RunId)).status === "closed";
  let stops = 0;
  let kills = 0;
  for (let round = 0; ; round++) {
    if (await closed()) {
      if (stops + kills > 3) break;
      await begin(); // however fast they are, they are disturbed
    }
    if (round > 600) throw new Error(`the run does not end; the conductor said: ${await conductor.exited}`);
    await sleep(systemClock, 150);
    const id = `w${(round % 4) + 1}`;
    const worker = workers.get(id) as KernelProcess;
    if (worker.said.length === 0) continue; // it has not begun yet
    if (round % 3 === 2) {
      worker.child.kill("SIGKILL");
      await worker.exited;
      said.push(...worker.said);
      workers.set(id, hire(id)); // the same name again: only the epoch tells them apart
      kills += 1;
    } else {
      worker.child.kill("SIGSTOP");
      await sleep(systemClock, 500); // past its lease
      worker.child.kill("SIGCONT");
      stops += 1;
    }
  }
  for (const worker of workers.values()) {
    worker.child.kill("SIGTERM");
    await worker.exited;
    said.push(...worker.said);
  }
  conductor.child.kill("SIGTERM");
  await conductor.exited;

  for (const run_id of runs) {
    const items = must(await kernel.read.workItems(run_id));
    expect(items.map((item) => item.status)).toEqual(Array.from({ length: count }, () => "completed"));
    const events = must(await kernel.read.events(run_id, { after: 0, limit: 1_000_000 }));
    const ends = events
      .filter((event) => event.event_type === "work.completed")
      .map((event) => event.payload["work_id"]);
    expect(new Set(ends).size).toBe(count);
    expect(ends).toHaveLength(count);
    expect(must(await kernel.read.patches(run_id))).toHaveLength(count); // one effect each
    expect(must(await verifyRun(kernel.read, run_id)).violations).toEqual([]);
  }
  const told = said.filter((line) => "completed" in line).map((line) => line["completed"]);
  expect(new Set(told).size).toBe(told.length); // nobody was told twice that it was his
  await close();
}, 240_000);
