// Runs one work order as a process of its own and kills itself after as many recorded events as it is told.
import { systemClock, systemRandom } from "../../../dist/core-values/index.js";
import { openRuntime } from "../../../dist/main/index.js";

const { root, order, killAfter } = JSON.parse(process.argv[2]);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;
let seen = 0;
const onEvent = () => {
  seen += 1;
  if (seen === killAfter) process.kill(process.pid, "SIGKILL");
};
const result = await runtime.runFlow({ work_order: order, caller_id: runtime.caller }, { onEvent });
await runtime.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
