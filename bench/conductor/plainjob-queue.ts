import type { Sqlite } from "#core/database";

/** The part of plainjob that is used here; the package is installed by the bench alone. */
interface Plainjob {
  better(database: Sqlite): unknown;
  defineQueue(options: object): {
    add(type: string, data: unknown): unknown;
    addMany(type: string, data: readonly unknown[]): unknown;
    close(): void;
  };
  defineWorker(
    type: string,
    work: () => Promise<void>,
    options: object,
  ): { start(): Promise<void>; stop(): Promise<void> };
}

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

async function load(): Promise<Plainjob> {
  const module = "./peers/node_modules/plainjob/dist/plainjob.js";
  return (await import(new URL(`../${module}`, import.meta.url).href)) as Plainjob;
}

/** plainjob sets synchronous itself; `full` sets it back to what a durable queue needs. */
export async function drainPlainjob(database: Sqlite, count: number, full: boolean): Promise<number> {
  const { better, defineQueue, defineWorker } = await load();
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

/** Milliseconds from adding one job to its completion, the rest of the world being quiet. */
export async function plainjobLatencies(database: Sqlite, count: number): Promise<readonly number[]> {
  const { better, defineQueue, defineWorker } = await load();
  const queue = defineQueue({ connection: better(database), logger: quiet });
  database.pragma("synchronous = FULL");
  let completed: (() => void) | undefined;
  const worker = defineWorker("c", () => Promise.resolve(), {
    queue,
    logger: quiet,
    pollIntervall: 1,
    onCompleted: () => completed?.(),
  });
  void worker.start();
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    const done = new Promise<void>((resolve) => {
      completed = resolve;
    });
    const started = performance.now();
    queue.add("c", `do ${index}`);
    await done;
    taken.push(performance.now() - started);
  }
  await worker.stop();
  queue.close();
  return taken;
}
