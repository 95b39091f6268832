// Queues on PostgreSQL in the set-up that their authors recommend for throughput. Each answers
// `{ bulk(count), single(count, lanes), drain(count), close() }`.

/** With its local queue, and completions in batches, as in its own measurements. */
export async function graphileWorker(url) {
  const { Logger, makeWorkerUtils, run } = await import("graphile-worker");
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 16 });
  await utils.migrate();
  return {
    bulk: (count) =>
      inPortions(count, (from, size) =>
        utils.addJobs(Array.from({ length: size }, (_, n) => ({ identifier: "c", payload: { n: from + n } }))),
      ),
    single: (count, lanes) => inLanes(count, lanes, (n) => utils.addJob("c", { n })),
    async drain(count) {
      let done = 0;
      let finish;
      const all = new Promise((resolve) => {
        finish = resolve;
      });
      const taskList = {
        c: async () => {
          if (++done === count) finish();
        },
      };
      const worker = {
        connectionString: url,
        concurrentJobs: 24,
        maxPoolSize: 26,
        pollInterval: 2_000,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        logger,
      };
      const runner = await run({ preset: { worker }, noHandleSignals: true, taskList });
      await all;
      await runner.stop();
    },
    close: () => utils.release(),
  };
}

export async function pgBoss(url) {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: 16 });
  boss.on("error", () => undefined); // what matters fails where it was asked for
  await boss.start();
  await boss.createQueue("c");
  return {
    bulk: (count) =>
      inPortions(count, (from, size) =>
        boss.insert(
          "c",
          Array.from({ length: size }, (_, n) => ({ data: { n: from + n } })),
        ),
      ),
    single: (count, lanes) => inLanes(count, lanes, (n) => boss.send("c", { n })),
    async drain() {
      const lane = async () => {
        for (;;) {
          const jobs = await boss.fetch("c", { batchSize: 500 });
          if (!jobs || jobs.length === 0) return;
          await boss.complete(
            "c",
            jobs.map(({ id }) => id),
          );
        }
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

async function inPortions(count, add) {
  for (let from = 0; from < count; from += 1_000) await add(from, Math.min(1_000, count - from));
}

async function inLanes(count, lanes, add) {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await add(left);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
