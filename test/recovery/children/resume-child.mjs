// Runs or resumes one request as a process of its own and kills itself after as many recorded events as it is told. The
// model and the tools of the script count each call in a file outside the workspace, where no replay can reach it.
import { appendFileSync } from "node:fs";
import { systemClock, systemRandom } from "../../../dist/base/index.js";
import { openRuntime } from "../../../dist/compose/index.js";

const { root, order, resume, killAfter, killType, ledger } = JSON.parse(process.argv[2]);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: process.env, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;
let seen = 0;
const onEvent = (event) => {
  seen += 1;
  if (event.type === "llm.request" && ledger) appendFileSync(ledger, "");
  if (seen === killAfter || event.type === killType) process.kill(process.pid, "SIGKILL");
};
const result = resume
  ? await runtime.resumeSession(resume, { onEvent })
  : { ok: true, value: await runtime.runFlow({ work_order: order, caller_id: runtime.caller }, { onEvent }) };
await runtime.close();
process.stdout.write(`${JSON.stringify(result.ok ? { ...result.value, seen } : { refused: result.error })}\n`);
