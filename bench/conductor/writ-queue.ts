import { shippedRegistry } from "#core/contracts";
import { createIds, type Result, type RunId, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel } from "#runs";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";

export interface WritQueue {
  readonly kernel: Kernel;
  readonly runs: readonly RunId[];
  /** Requests `count` items, `batch` in one command. */
  enqueue(count: number, batch: number): Promise<void>;
  /** One item a command, `lanes` callers at once. */
  enqueueSingly(count: number, lanes: number): Promise<void>;
  /** Runs the real worker until this many items are completed. */
  drain(count: number, concurrency: number): Promise<void>;
  /** Milliseconds from the request of one item to its worker's answer that it is completed, durably; one after another. */
  latencies(count: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

export async function writQueue(file: string, runCount = 1): Promise<WritQueue> {
  const store = must(openSqliteKernel(file, { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  return queueOver(kernel, runCount, () => store.close());
}

/** The same over any store. */
export async function queueOver(kernel: Kernel, runCount: number, close: () => Promise<void>): Promise<WritQueue> {
  const { ids } = kernel;
  const runs: RunId[] = [];
  for (let index = 0; index < runCount; index++)
    runs.push(must(await kernel.startRun({ app_id: "bench", objective: "many", actor_id: "bench" })).run_id);
  let made = 0;
  const request = (run_id: RunId, count: number) =>
    kernel.submit<"request_work">({
      kind: "request_work",
      run_id,
      actor_id: "bench",
      work: Array.from({ length: count }, () => ({
        work_id: ids.workId(),
        capability: "c",
        objective: `do ${made++}`,
        depends_on: [],
        idempotency_key: null,
      })),
    });
  const enqueue: WritQueue["enqueue"] = async (count, batch) => {
    for (let done = 0; done < count; done += batch)
      must(await request(runs[(done / batch) % runs.length] as RunId, Math.min(batch, count - done)));
  };
  return {
    kernel,
    runs,
    enqueue,
    async latencies(count) {
      const end = new AbortController();
      let completed: (() => void) | undefined;
      const completeWork: Kernel["completeWork"] = async (...said) => {
        const answer = await kernel.completeWork(...said);
        completed?.();
        return answer;
      };
      const worker = runWorker({
        kernel: { ...kernel, completeWork },
        worker_id: "w",
        clock: systemClock,
        signal: end.signal,
        handlers: { c: async () => ({ status: "completed" }) },
      });
      const taken: number[] = [];
      for (let index = 0; index < count; index++) {
        const done = new Promise<void>((resolve) => {
          completed = resolve;
        });
        const started = performance.now();
        await enqueue(1, 1);
        await done;
        taken.push(performance.now() - started);
      }
      end.abort();
      await worker;
      return taken;
    },
    async enqueueSingly(count, lanes) {
      let left = count;
      const lane = async (run: RunId): Promise<void> => {
        while (left-- > 0) must(await request(run, 1));
      };
      await Promise.all(Array.from({ length: lanes }, (_, index) => lane(runs[index % runs.length] as RunId)));
    },
    async drain(count, concurrency) {
      const end = new AbortController();
      let done = 0;
      await runWorker({
        kernel,
        worker_id: "worker-1",
        clock: systemClock,
        signal: end.signal,
        concurrency,
        handlers: {
          c: async () => {
            if (++done === count) end.abort();
            return { status: "completed" };
          },
        },
      });
    },
    close,
  };
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
