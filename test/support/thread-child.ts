// A process that talks in a thread until it is killed: each message has the number of its order, so that it is one message however
// often it is sent. What was answered is printed.

import { systemClock, systemRandom } from "#core/values";
import { openRuntime } from "#main";

const [root = "", thread_id = "", from = "", to = ""] = process.argv.slice(2);
const opened = await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });
if (!opened.ok) throw new Error(opened.error.message);
const thread = await opened.value.threads.open(thread_id);
if (!thread.ok) throw new Error(thread.error.message);
process.stdout.write("ready\n");
for (let number = Number(from); number <= Number(to); number++) {
  const order = { work_order_id: `WO-20261115-${5_000 + number}`, created_at: "2026-11-15T10:00:00.000Z" };
  const { status, error } = await thread.value.send(`message ${number}`, { order }).result;
  process.stdout.write(status === "success" ? `done ${number}\n` : `${status} ${number}: ${error}\n`);
}
await opened.value.close();
