// One worker process of the scaling measure: drain-child.ts URL. Prints how many items it completed, and ends when there
// is nothing left for a while.
import { systemClock } from "#base";
import { runWorker } from "#kernel";
import { openPostgresQueue } from "./writ-postgres.ts";

const [url = ""] = process.argv.slice(2);
const queue = await openPostgresQueue(url);
const end = new AbortController();
let done = 0;
let last = performance.now();
process.stdout.write("ready\n");
const idle = setInterval(() => {
  if (done > 0 && performance.now() - last > 500) end.abort();
}, 50);
await runWorker({
  kernel: queue.kernel,
  worker_id: `worker-${process.pid}`,
  clock: systemClock,
  signal: end.signal,
  concurrency: 200,
  handlers: {
    c: async () => {
      done += 1;
      last = performance.now();
      return { status: "completed" };
    },
  },
});
clearInterval(idle);
await queue.close();
process.stdout.write(`done ${done}\n`);
