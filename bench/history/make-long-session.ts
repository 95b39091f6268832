/**
 * `make-long-session.ts ROOT EVENTS`: records one session of so many events, a real request's model call again and again, through
 * the workspace's own log, and prints its id.
 */

import type { SessionId } from "#core/values";
import { systemClock, systemRandom } from "#core/values";
import type { EventInput } from "#log";
import { openRuntime } from "#main";
import { must, orderOf } from "./workspace.ts";

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
const opening = model.slice(
  0,
  model.findIndex(({ type }) => type === "llm.request"),
);
const call = model.slice(opening.length, opening.length + 2);
const session = must(await runtime.log.create({ tier: "ho1" }));
for (const event of opening) must(await session.append(event));
while (session.head.seq < Number(length) - 3) {
  const request_id = `REQ-${session.head.seq}`; // a response answers a request of its own
  for (const event of call) must(session.stage({ ...event, payload: { ...event.payload, request_id } } as EventInput));
  if (session.head.seq % perSync < 2) must(await runtime.log.flush());
}
const completed = model.find(({ type }) => type === "wo.completed");
if (completed) must(await session.append(completed));
must(await session.close({ ok: true, status: "success" }));
must(await runtime.close());
process.stdout.write(session.session_id);
