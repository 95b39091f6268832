/**
 * `crash-sessions.ts ROOT COUNT [NUMBER]`: as `make-sessions.ts`, but the process kills itself once so many requests have
 * been answered: its journal stays behind.
 */
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { must, orderOf } from "./workspace.ts";

const [root = "", count = "0", number = "0"] = process.argv.slice(2);
const runtime = must(await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" }));
let next = Number(number);
let answered = 0;
for (let each = 0; each < 100; each++) void again();

async function again(): Promise<void> {
  for (;;) {
    const submission = { work_order: orderOf(next++), caller_id: runtime.caller };
    const result = await runtime.runFlow(submission, { fresh: true });
    if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    if (++answered === Number(count)) process.kill(process.pid, "SIGKILL");
  }
}
