// Queues on PostgreSQL in the set-up that their authors recommend for throughput, and BullMQ where a Redis is at hand.
import { connect } from "node:net";

/** Its own function for many jobs; the library has no name for it before 0.17. */
const addMany = `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW('c', json_build_object('n', n), NULL, NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec
  FROM generate_series($1::int, $2::int) AS n))`;

/** Each answers `{ bulk(count), single(count, lanes), drain(count), close() }`. */
export async function graphileWorker(url) {
  const { makeWorkerUtils, run } = await import("graphile-worker");
  const quiet = new (await import("graphile-worker")).Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: url, logger: quiet, maxPoolSize: 16 });
  await utils.migrate();
  return {
    async bulk(count) {
      for (let from = 0; from < count; from += 1_000)
        await utils.withPgClient((client) => client.query(addMany, [from, Math.min(count, from + 1_000) - 1]));
    },
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
      const runner = await run({
        connectionString: url,
        concurrency: 24,
        maxPoolSize: 26,
        noHandleSignals: true,
        pollInterval: 200,
        logger: quiet,
        taskList,
      });
      await all;
      await runner.stop();
    },
    close: () => utils.release(),
  };
}

export async function pgBoss(url) {
  const { default: PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: 16 });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue("c");
  return {
    async bulk(count) {
      for (let from = 0; from < count; from += 1_000)
        await boss.insert(
          Array.from({ length: Math.min(1_000, count - from) }, (_, index) => ({
            name: "c",
            data: { n: from + index },
          })),
        );
    },
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

/** Registered for the life of the process: a second time is refused. */
let dbosTask;
let dbosQueues = 0;

export async function dbos(url) {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, runAdminServer: false, logLevel: "error" });
  dbosTask ??= DBOS.registerWorkflow(async (n) => n, { name: "task" });
  const task = dbosTask;
  await DBOS.launch();
  dbosQueues += 1;
  const queue = await DBOS.registerQueue(`c${dbosQueues}`);
  const handles = [];
  const add = async (n) => handles.push(await DBOS.startWorkflow(task, { queueName: queue.name })(n));
  return {
    bulk: (count) => inLanes(count, 16, add),
    single: (count, lanes) => inLanes(count, lanes, add),
    async drain() {
      for (const handle of handles) await handle.getResult();
    },
    close: () => DBOS.shutdown(),
  };
}

/** Undefined without a Redis on its usual port: then BullMQ is left out, and the bench says so. */
export async function bullMq() {
  if (!(await listens(6379))) return undefined;
  const { Queue, Worker } = await import("bullmq");
  const connection = { host: "127.0.0.1", port: 6379 };
  const name = `bench-${process.pid}-${Date.now()}`;
  const queue = new Queue(name, { connection });
  return {
    async bulk(count) {
      for (let from = 0; from < count; from += 1_000)
        await queue.addBulk(
          Array.from({ length: Math.min(1_000, count - from) }, (_, index) => ({
            name: "c",
            data: { n: from + index },
          })),
        );
    },
    single: (count, lanes) => inLanes(count, lanes, (n) => queue.add("c", { n })),
    drain: (count) =>
      new Promise((resolve) => {
        let done = 0;
        const worker = new Worker(
          name,
          async () => {
            if (++done === count) void worker.close().then(resolve);
          },
          { connection, concurrency: 100 },
        );
      }),
    async close() {
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
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
