/**
 * `make-long-session.ts ROOT EVENTS`: records one session of so many events, those of a real request again and again, through
 * the workspace's own log, and prints its id.
 */

import type { SessionId } from "#core/values";
import { systemClock, systemRandom } from "#core/values";
import type { EventInput, EventType } from "#log";
import { openRuntime } from "#main";
import { must, orderOf } from "./workspace.ts";

/** Types of which a session has one. */
const once: ReadonlySet<EventType> = new Set(["session.start", "session.close", "wo.started", "wo.completed"]);
/** Events that share a sync, so that the journal's memory stays small. */
const perSync = 500;

const [root = "", length = "0"] = process.argv.slice(2);
const runtime = must(await openRuntime({ root, clock: systemClock, random: systemRandom, env: {}, version: "bench" }));
const work_order = { ...orderOf(0), work_order_id: `WO-20261115-9${length}` };
const made = await runtime.runFlow({ work_order, caller_id: runtime.caller }, { fresh: true });
if (made.status !== "success") throw new Error(`${made.status}: ${made.error}`);
const model: EventInput[] = [];
for await (const event of runtime.log.read(made.session_id as SessionId)) {
  const { type, actor, payload } = must(event);
  model.push({ type, actor, payload } as EventInput);
}
const again = model.filter(({ type }) => !once.has(type));
const session = must(await runtime.log.create({ tier: "ho1" }));
for (const event of model.filter(({ type }) => type === "session.start" || type === "wo.started"))
  must(await session.append(event));
for (let seq = session.head.seq + 1; seq < Number(length); seq++) {
  const event = again[seq % again.length] as EventInput;
  if (seq % perSync === 0) must(await session.append(event));
  else must(session.stage(event));
}
must(await session.close({ ok: true, status: "success" }));
must(await runtime.close());
process.stdout.write(session.session_id);
