// Runs flows in a workspace as a process of its own, and kills itself where it is told to. Prints one JSON line per result.
import { systemClock, systemRandom } from "../../../dist/core-values/index.js";
import { openRuntime } from "../../../dist/main/index.js";

const { root, orders, killAt, concurrency = 1 } = JSON.parse(process.argv[2]);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;
const onEvent = (event) => {
  const action = event.type === "budget.updated" ? `budget.${event.payload.action}` : event.type;
  if (action === killAt) process.kill(process.pid, "SIGKILL");
};
let next = 0;
const work = async () => {
  while (next < orders.length) {
    const order = orders[next++];
    const result = await runtime.runFlow({ work_order: order, caller_id: runtime.caller }, { onEvent });
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
};
await Promise.all(Array.from({ length: concurrency }, work));
await runtime.close();
