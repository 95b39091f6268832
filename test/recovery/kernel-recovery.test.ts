import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { createIds, type RunId, sleep, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel, runConductor, type WorkHandler } from "#runs";
import { type App } from "../../src/runs/kernel/app.ts";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { fileDocuments } from "../../src/runs/kernel/store/files/documents.ts";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { countingApp } from "../support/counting-app.ts";
import { must, type Workplace, workplace } from "../support/kernel-harness.ts";

/** Section 10 of seed 003, one by one, with the real loops on a real database. */
describe("recovery", () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.clear());

  const limits = {
    maxRetries: 1,
    retryBackoffMs: 1,
    retryBackoffMaxMs: 1,
    turnFailureLimit: 3,
    turnBackoffMs: 1,
    turnBackoffMaxMs: 1,
  };
  const open = (): { kernel: Kernel; close: () => Promise<void> } => {
    const store = must(openSqliteKernel(place.file, { clock: systemClock, limits }));
    const ids = createIds(systemClock, systemRandom);
    const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
    return { kernel, close: () => store.close() };
  };
  const untilClosed = async (kernel: Kernel, run: RunId): Promise<void> => {
    const listener = kernel.wakeUp.listen([`run:${run}`]);
    while (must(await kernel.read.run(run)).status === "active") await listener.wait(50);
    listener.close();
  };
  const conduct = (kernel: Kernel, app: App, end: AbortController, id = "conductor"): Promise<void> =>
    runConductor({
      kernel,
      conductor_id: id,
      apps: [app],
      documents: fileDocuments(join(place.folder, "docs"), kernel.ids),
      signal: end.signal,
      clock: systemClock,
      turnLeaseMs: 60_000, // who lives keeps his turn, however slow the machine; those who die here bring a lease of their own
      pollMs: 10,
      sweepMs: 20,
    });
  const work = (kernel: Kernel, count: WorkHandler, end: AbortController, id = "worker"): Promise<void> =>
    runWorker({
      kernel,
      worker_id: id,
      handlers: { count },
      signal: end.signal,
      clock: systemClock,
      leaseMs: 60_000,
      pollMs: 10,
      graceMs: 50,
    });
  const startOne = async (kernel: Kernel, app_id: string, objective: string): Promise<RunId> =>
    must(await kernel.startRun({ app_id, objective, actor_id: "ada" })).run_id;
  const done: WorkHandler = async () => ({ status: "completed" });

  test("worker crash: the lease expires, the work returns to the queue until its retries are spent", async () => {
    const { kernel, close } = open();
    const end = new AbortController();
    const run = await startOne(kernel, "once", "one");
    const app: App = {
      app_id: "once",
      turn: async (input) => {
        const open = input.open_work_summary.length > 0;
        if (input.new_events_since_seq === 0)
          return {
            actions: [
              { type: "request_work", capability: "count", objective: "x", depends_on: [], idempotency_key: "x" },
            ],
          };
        return { actions: open ? [{ type: "noop" }] : [{ type: "close_run", reason: "blocked" }] };
      },
    };
    const loop = conduct(kernel, app, end);
    const listener = kernel.wakeUp.listen(["work:count"]);
    for (let leases = 0; leases < 2; ) {
      const claimed = must(
        await kernel.claimWork({ capabilities: ["count"], lease_owner: "doomed", lease_ms: 30, limit: 1 }),
      );
      leases += claimed.length; // and never heard of again
      if (claimed.length === 0) await listener.wait(10);
    }
    listener.close();
    await untilClosed(kernel, run);
    end.abort();
    await loop;
    expect(must(await kernel.read.workItems(run))).toMatchObject([
      { status: "failed", retry_count: 1, lease_epoch: 2 },
    ]);
    await close();
  });

  test("app crash: no state is lost, and the next turn goes on from the latest seq", async () => {
    const { kernel, close } = open();
    const end = new AbortController();
    const run = await startOne(kernel, "counting", "count 3");
    const seen: number[] = [];
    let crashes = 0;
    const shaky: App = {
      app_id: "counting",
      turn: async (input, context) => {
        seen.push(input.new_events_since_seq);
        if (seen.length > 1 && crashes < 2) {
          crashes += 1;
          throw new Error("the app fell over");
        }
        return countingApp.turn(input, context);
      },
    };
    const loops = [conduct(kernel, shaky, end), work(kernel, done, end)];
    await untilClosed(kernel, run);
    end.abort();
    await Promise.all(loops);
    const events = must(await kernel.read.events(run, { after: 0, limit: 1_000 }));
    expect(events.filter((event) => event.event_type === "app.turn.failed")).toHaveLength(2);
    expect(new Set(seen.slice(1, 4)).size).toBe(1); // the failed turns were shown the same place again
    expect(must(await kernel.read.run(run)).close_reason).toBe("completed");
    await close();
  });

  test("kernel crash: a new one loads what is there, reconciles expired leases, and goes on", async () => {
    const first = open();
    const run = await startOne(first.kernel, "counting", "count 5");
    const claims = must(
      await first.kernel.claimTurns({ app_ids: ["counting"], turn_owner: "gone", turn_ms: 50, limit: 1 }),
    );
    expect(claims).toHaveLength(1);
    await first.close(); // in the middle of a turn
    const second = open();
    const end = new AbortController();
    const loops = [conduct(second.kernel, countingApp, end), work(second.kernel, done, end)];
    await untilClosed(second.kernel, run);
    end.abort();
    await Promise.all(loops);
    expect(must(await verifyRun(second.kernel.read, run)).violations).toEqual([]);
    expect(must(await second.kernel.read.run(run)).close_reason).toBe("completed");
    await second.close();
  });

  test("an app that never answers well closes its run as failed, with the reason", async () => {
    const { kernel, close } = open();
    const end = new AbortController();
    const run = await startOne(kernel, "odd", "x");
    const odd: App = { app_id: "odd", turn: async () => ({ actions: [{ type: "dance" }] }) as never };
    const loop = conduct(kernel, odd, end);
    await untilClosed(kernel, run);
    end.abort();
    await loop;
    const record = must(await kernel.read.run(run));
    expect(record).toMatchObject({ status: "closed", close_reason: "failed" });
    expect(record.close_message).toContain("SCHEMA_VIOLATION");
    await close();
  });

  test("a revision whose document nobody kept is refused", async () => {
    const { kernel, close } = open();
    const end = new AbortController();
    const run = await startOne(kernel, "ghost", "x");
    const ghost: App = {
      app_id: "ghost",
      turn: async (input) => ({
        actions: [
          {
            type: "create_revision",
            parent_revision_id: input.head_revision_id,
            applied_patch_ids: [],
            rejected_patch_ids: [],
            document_ref: { sha256: "0".repeat(64) },
          },
        ],
      }),
    };
    const loop = conduct(kernel, ghost, end);
    await untilClosed(kernel, run);
    end.abort();
    await loop;
    expect(must(await kernel.read.revisions(run))).toEqual([]);
    expect(must(await kernel.read.run(run)).close_message).toContain("NOT_FOUND");
    await close();
  });

  test("a conductor that is asked to end does not wait for an app that never answers", async () => {
    const { kernel, close } = open();
    const run = await startOne(kernel, "mute", "x");
    const documents = fileDocuments(join(place.folder, "docs"), kernel.ids);
    // As often as an app may fail: that we end is not its failure, whether it hears of that or not.
    for (const [time, listens] of [false, true, false, true, false, true].entries()) {
      const end = new AbortController();
      const asked = deferred();
      const mute: App = {
        app_id: "mute",
        turn: (_, { signal }) => {
          asked.resolve();
          return new Promise((_resolve, reject) => {
            if (listens) signal.addEventListener("abort", () => reject(new Error("aborted")));
          });
        },
      };
      const loop = runConductor({
        kernel,
        conductor_id: `c${time}`,
        apps: [mute],
        documents,
        signal: end.signal,
        clock: systemClock,
        graceMs: 20,
      });
      await asked.promise;
      end.abort();
      await loop;
      const events = must(await kernel.read.events(run, { after: 0, limit: 100 }));
      const payload = { code: "CANCELED", failures: 0 };
      expect(events.at(-1)).toMatchObject({ event_type: "app.turn.failed", payload });
    }
    expect(must(await kernel.read.run(run))).toMatchObject({ status: "active" });
    await close();
  });

  test("a worker that is asked to end finishes what it can and hands back the rest", async () => {
    const { kernel, close } = open();
    const [endConductor, endWorker] = [new AbortController(), new AbortController()];
    const run = await startOne(kernel, "counting", "count 2");
    const conductor = conduct(kernel, countingApp, endConductor);
    let begun = 0;
    const both = deferred();
    const slow: WorkHandler = async (lease, context) => {
      if (++begun === 2) both.resolve();
      if (lease.objective === "item 0")
        return new Promise((resolve) =>
          context.signal.addEventListener("abort", () => resolve({ status: "released", reason: "told to end" })),
        );
      await sleep(systemClock, 20);
      return { status: "completed" };
    };
    const worker = work(kernel, slow, endWorker);
    await both.promise;
    endWorker.abort();
    await worker;
    const items = must(await kernel.read.workItems(run));
    expect(items.map((item) => item.status).sort()).toEqual(["completed", "queued"]);
    endConductor.abort();
    await conductor;
    await close();
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
