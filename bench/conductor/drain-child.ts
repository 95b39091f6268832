// One worker process of the scaling measure: drain-child.ts URL. Prints how many items it completed; ends with its input.
import { systemClock } from "#base";
import { runWorker } from "#kernel";
import { openPostgresQueue } from "./writ-postgres.ts";

const [url = ""] = process.argv.slice(2);
const queue = await openPostgresQueue(url);
const end = new AbortController();
let done = 0;
process.stdout.write("ready\n");
process.stdin.once("end", () => end.abort()).resume();
await runWorker({
  kernel: queue.kernel,
  worker_id: `worker-${process.pid}`,
  clock: systemClock,
  signal: end.signal,
  concurrency: 200,
  handlers: {
    c: async () => {
      done += 1;
      return { status: "completed" };
    },
  },
});
await queue.close();
process.stdout.write(`done ${done}\n`);
