import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { createIds, type Result, systemClock, systemRandom } from "#core/values";
import type { CommandKind } from "./commands.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import { runWorker, type WorkHandler } from "./run-worker.ts";
import { openSqliteKernel } from "./store/sqlite/open.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-worker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

test("an idle worker leases an item in the commit that asks for it, and hands it back in the next", async () => {
  const store = must(openSqliteKernel(join(folder, "kernel.db"), { clock: systemClock }));
  const batches: CommandKind[][] = [];
  let committed: () => void = () => undefined;
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({
    store: {
      ...store,
      async commit(commands) {
        const report = await store.commit(commands);
        batches.push(commands.map(({ kind }) => kind));
        committed();
        return report;
      },
    },
    clock: systemClock,
    ids,
    schemas: shippedRegistry(),
    defer: setImmediate,
  });
  const until = async (kind: CommandKind): Promise<void> => {
    while (!batches.some((batch) => batch.includes(kind)))
      await new Promise<void>((resolve) => {
        committed = resolve;
      });
  };
  const { run_id } = must(await kernel.startRun({ app_id: "demo", objective: "o", actor_id: "ada" }));
  const end = new AbortController();
  const worker = runWorker({
    kernel,
    worker_id: "w",
    clock: systemClock,
    signal: end.signal,
    pollMs: 60_000, // longer than the test: no worker polls
    handlers: { c: async () => ({ status: "completed" }) },
  });
  await until("claim_work");
  await new Promise((resolve) => setImmediate(resolve)); // the worker has found nothing, and sleeps
  batches.length = 0;
  const work = { work_id: ids.workId(), objective: "o", depends_on: [], idempotency_key: null };
  const request = (capability: string) =>
    kernel.submit<"request_work">({
      kind: "request_work",
      run_id,
      actor_id: "demo",
      work: [{ ...work, work_id: ids.workId(), capability }],
    });
  must(await request("another"));
  expect(batches).toEqual([["request_work"]]); // nothing for these hands
  must(await request("c"));
  await until("complete_work");
  expect(batches.slice(0, 3)).toEqual([
    ["request_work"],
    ["request_work", "claim_work"],
    expect.arrayContaining(["complete_work"]),
  ]);
  end.abort();
  await worker;
  await store.close();
});

test("a claim that comes back with nothing leaves its place to the one that waits for it", {
  timeout: 60_000,
}, async () => {
  const store = must(openSqliteKernel(join(folder, "places.db"), { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const inner = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  const { run_id } = must(await inner.startRun({ app_id: "demo", objective: "o", actor_id: "ada" }));
  const request = async () => {
    const one = { work_id: ids.workId(), objective: "o", depends_on: [], idempotency_key: null, capability: "c" };
    must(await inner.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work: [one] }));
  };
  await request();
  // Two claims at once, as on PostgreSQL, for a worker with one pair of hands. Behind the first item the second claim asks for the
  // one place, and the first one, which asks meanwhile, for none; then the second finds nothing.
  let asked = 0;
  let answerSecond: () => void = () => undefined;
  const secondAnswered = new Promise<void>((resolve) => {
    answerSecond = resolve;
  });
  const end = new AbortController();
  const completed: string[] = [];
  const kernel: Kernel = {
    ...inner,
    claimsAtOnce: 2,
    async claimWork(input) {
      const nth = ++asked;
      if (nth === 1 || nth > 3) return inner.claimWork(input);
      await new Promise((resolve) => setImmediate(resolve)); // made with its batch, when both have asked
      const { limit } = typeof input === "function" ? input() : input;
      expect([nth, limit]).toEqual([nth, nth === 2 ? 1 : 0]);
      if (nth === 3) setImmediate(answerSecond);
      else await secondAnswered;
      return { ok: true, value: [] };
    },
    async completeWork(lease, ...rest) {
      const answer = await inner.completeWork(lease, ...rest);
      completed.push(lease.work_id);
      if (completed.length === 2) end.abort();
      return answer;
    },
  };
  const handlers = { c: async () => ({ status: "completed" as const }) };
  const options = {
    kernel,
    worker_id: "w",
    clock: systemClock,
    signal: end.signal,
    pollMs: 10,
    concurrency: 1,
    handlers,
  };
  const worker = runWorker(options);
  await secondAnswered;
  await request();
  await worker;
  expect(completed).toHaveLength(2);
  await store.close();
});

describe("a kernel with one item", () => {
  async function withOneItem(name: string) {
    const store = must(openSqliteKernel(join(folder, `${name}.db`), { clock: systemClock }));
    onTestFinished(() => store.close());
    const ids = createIds(systemClock, systemRandom);
    const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
    const { run_id } = must(await kernel.startRun({ app_id: "demo", objective: "o", actor_id: "ada" }));
    const work_id = ids.workId();
    const one = { work_id, objective: "o", depends_on: [], idempotency_key: null, capability: "c" };
    must(await kernel.submit<"request_work">({ kind: "request_work", run_id, actor_id: "demo", work: [one] }));
    return { kernel, item: async () => must(await kernel.read.workItems(run_id, { limit: 1 }))[0] };
  }

  test("that is leased while its worker is stopping is released, and its handler is not called", async () => {
    const { kernel, item } = await withOneItem("stopped");
    const end = new AbortController();
    let begun = 0;
    await runWorker({
      kernel: {
        ...kernel,
        async claimWork(input) {
          const claimed = await kernel.claimWork(input);
          end.abort();
          return claimed;
        },
      },
      worker_id: "w",
      clock: systemClock,
      signal: end.signal,
      handlers: {
        c: async () => {
          begun += 1;
          return { status: "completed" };
        },
      },
    });
    expect(begun).toBe(0);
    expect(await item()).toMatchObject({ lease_owner: null, lease_epoch: 1 });
  });

  test("whose handler returns nothing is released, and the problem is reported", async () => {
    const { kernel, item } = await withOneItem("nothing");
    const end = new AbortController();
    const problems: string[] = [];
    await runWorker({
      kernel,
      worker_id: "w",
      clock: systemClock,
      signal: end.signal,
      onProblem: ({ message }) => {
        problems.push(message);
        end.abort();
      },
      handlers: { c: (() => Promise.resolve(undefined)) as unknown as WorkHandler },
    });
    expect(problems).toEqual(["the handler for c threw: it answered no outcome, but undefined"]);
    expect(await item()).toMatchObject({ lease_owner: null, lease_epoch: 1 });
  });
});
