// A process that carries out requests in a workspace which others use too: waits for lines {count, width}, and answers each when they
// are done.
import { createInterface } from "node:readline";
import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";
import { requestOrder } from "./request-order.ts";
import { perSecond } from "./runtime.ts";

const [root = "", name = ""] = process.argv.slice(2);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" });
if (!opened.ok) throw new Error(opened.error.message);
const runtime = opened.value;
let orders = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { count, width } = JSON.parse(line) as { readonly count: number; readonly width: number };
  await perSecond(count, width, async () => {
    const work_order = {
      ...requestOrder,
      work_order_id: `WO-20261115-${name}${String((orders += 1)).padStart(6, "0")}`,
    };
    const result = await runtime.runFlow({ work_order, caller_id: runtime.caller }, { fresh: true });
    if (result.status !== "success") throw new Error(`${result.status}: ${result.error}`);
  });
  console.log("done");
}
await runtime.close();
