import type { Sqlite } from "#store";

/** The part of plainjob that is used here; the package is installed by the bench alone. */
interface Plainjob {
  better(database: Sqlite): unknown;
  defineQueue(options: object): { addMany(type: string, data: readonly unknown[]): unknown; close(): void };
  defineWorker(
    type: string,
    work: () => Promise<void>,
    options: object,
  ): { start(): Promise<void>; stop(): Promise<void> };
}

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** plainjob sets synchronous itself; `full` sets it back to what a durable queue needs. */
export async function drainPlainjob(database: Sqlite, count: number, full: boolean): Promise<number> {
  const module = "./peers/node_modules/plainjob/dist/plainjob.js";
  const { better, defineQueue, defineWorker } = (await import(
    new URL(`../${module}`, import.meta.url).href
  )) as Plainjob;
  const queue = defineQueue({ connection: better(database), logger: quiet });
  if (full) database.pragma("synchronous = FULL");
  queue.addMany(
    "c",
    Array.from({ length: count }, (_, index) => `do ${index}`),
  );
  let done = 0;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const worker = defineWorker(
      "c",
      async () => {
        if (++done === count) void worker.stop().then(resolve);
      },
      { queue, logger: quiet },
    );
    void worker.start();
  });
  const seconds = (performance.now() - started) / 1_000;
  queue.close();
  return count / seconds;
}
