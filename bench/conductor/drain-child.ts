// One worker process of the scaling measure: drain-child.ts URL CONCURRENCY WORK_MS. Works from the line "go" to the line "stop" and
// prints meanwhile how many items it has completed so far; "stopped" says that everything at hand is over. Ends with its input.
import { createInterface } from "node:readline";
import { sleep, systemClock } from "#core/values";
import { type Kernel } from "#runs";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { openPostgresQueue } from "./writ-postgres.ts";

const [url = "", concurrency = "", workMs = ""] = process.argv.slice(2);
const queue = await openPostgresQueue(url);
let done = 0;
const kernel: Kernel = {
  ...queue.kernel,
  completeWork: async (...said) => {
    const answer = await queue.kernel.completeWork(...said);
    if (answer.ok) done += 1;
    return answer;
  },
};
let told = 0;
const report = setInterval(() => {
  if (done > told) process.stdout.write(`${done}\n`);
  told = done;
}, 10);

const work = async (signal: AbortSignal): Promise<void> => {
  await runWorker({
    kernel,
    worker_id: `worker-${process.pid}`,
    clock: systemClock,
    signal,
    concurrency: Number(concurrency),
    handlers: {
      c: async () => {
        if (workMs !== "0") await sleep(systemClock, Number(workMs));
        return { status: "completed" };
      },
    },
  });
  process.stdout.write("stopped\n");
};

let end: AbortController | undefined;
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stop") end?.abort();
  else {
    end = new AbortController();
    void work(end.signal);
  }
}
clearInterval(report);
await queue.close();
