// Runs one order, or goes on with a session, as a process of its own and kills itself the nth time that it comes to a named point.
import { systemClock, systemRandom } from "../../../dist/core-values/index.js";
import { openRuntime } from "../../../dist/main/index.js";

const { root, order, resume, at, nth = 1 } = JSON.parse(process.argv[2]);
let seen = 0;
const failpoint = (name) => {
  if (name !== at) return;
  seen += 1;
  if (seen === nth) process.kill(process.pid, "SIGKILL");
};
const place = { root, clock: systemClock, random: systemRandom, env: {}, version: "test", failpoint };
const opened = await openRuntime(place);
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;
const result = resume
  ? await runtime.resumeSession(resume)
  : await runtime.runFlow({ work_order: order, caller_id: runtime.caller });
process.stdout.write(`${JSON.stringify(result)}\n`);
await runtime.close();
