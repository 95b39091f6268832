// Runs or resumes one request as a process of its own and kills itself after as many recorded events as it is told. Its
// two tools leave a line in a file outside the workspace, where no replay can reach it: one line per real call.
import { appendFileSync } from "node:fs";
import { systemClock, systemRandom } from "../../../dist/core-values/index.js";
import { openRuntime } from "../../../dist/main/index.js";

const { root, order, resume, killAfter, killBefore, ledger, changed } = JSON.parse(process.argv[2]);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: process.env, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;

for (const [name, idempotent] of [
  ["peer.book", false],
  ["peer.put", true],
]) {
  const registered = runtime.tools.register({
    name,
    description: changed === name ? "Leaves another line." : "Leaves a line.",
    schema_in: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    schema_out: { type: "object", properties: { booked: { type: "string" } }, required: ["booked"] },
    annotations: { idempotent },
    origin: "test",
    async invoke({ what }, { idempotency_key, attempt }) {
      if (killBefore === what) process.kill(process.pid, "SIGKILL");
      appendFileSync(ledger, `${JSON.stringify({ name, what, idempotency_key, attempt })}\n`);
      if (killAfter === what) process.kill(process.pid, "SIGKILL");
      return { ok: true, value: { booked: what } };
    },
  });
  if (!registered.ok) throw new Error(registered.error.message);
}
let seen = 0;
const onEvent = () => {
  seen += 1;
  if (seen === killAfter) process.kill(process.pid, "SIGKILL");
};
const result = resume
  ? await runtime.resumeSession(resume, { onEvent })
  : { ok: true, value: await runtime.runFlow({ work_order: order, caller_id: runtime.caller }, { onEvent }) };
await runtime.close();
const { cause: _, ...error } = result.ok ? {} : result.error;
process.stdout.write(`${JSON.stringify(result.ok ? { ...result.value, seen } : { refused: error })}\n`);
