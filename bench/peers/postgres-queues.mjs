// DBOS on PostgreSQL, and BullMQ where a Redis is at hand. Each answers `{ bulk(count), single(count, lanes), drain(count), close() }`.
import { connect } from "node:net";

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
