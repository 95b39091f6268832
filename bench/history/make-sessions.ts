/**
 * `make-sessions.ts ROOT COUNT [NUMBER]`: runs so many requests in the workspace, a hundred at once, each a whole flow from
 * work order to closed and anchored session. Started by the bench for a few thousand at a time: that is faster than one
 * process for all of them. Work orders are numbered from NUMBER.
 */
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { must, orderOf } from "./workspace.ts";

const [root = "", count = "0", number = "0"] = process.argv.slice(2);
const runtime = must(await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" }));
let next = Number(number);
const end = next + Number(count);
await Promise.all(
  Array.from({ length: 100 }, async () => {
    while (next < end) {
      const submission = { work_order: orderOf(next++), caller_id: runtime.caller };
      const result = await runtime.runFlow(submission, { fresh: true });
      if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
    }
  }),
);
must(await runtime.close());
