// Runs one work order as a process of its own and kills itself when an event of a type is recorded.
import { systemClock, systemRandom } from "../../../dist/core-values/index.js";
import { openRuntime } from "../../../dist/main/index.js";

const { root, order, killAt } = JSON.parse(process.argv[2]);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: process.env, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const result = await opened.value.runFlow(
  { work_order: order, caller_id: opened.value.caller },
  { onEvent: ({ type }) => type === killAt && process.kill(process.pid, "SIGKILL") },
);
await opened.value.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
