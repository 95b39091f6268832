import type { SessionId } from "#core/values";
import type { Event, EventInput, EventLog, EventType } from "#log";
import { must } from "./real-log.ts";

/** Types of which a session has one. */
const once: ReadonlySet<EventType> = new Set(["session.start", "session.close", "wo.started", "wo.completed"]);
const perSync = 1_000;

/** A session as long as wanted, of the events of a real one, again and again, through the real log. */
export async function longSession(log: EventLog, model: readonly Event[], length: number): Promise<SessionId> {
  const session = must(await log.create({ tier: "ho1" }));
  const begin = model.filter(({ type }) => type === "session.start" || type === "wo.started");
  const again = model.filter(({ type }) => !once.has(type));
  for (const event of begin) must(await session.append(inputOf(event)));
  for (let seq = begin.length + 1; seq < length; seq++) {
    const event = again[seq % again.length];
    if (!event) throw new Error("the model session has no event to repeat");
    if (seq % perSync === 0) must(await session.append(inputOf(event)));
    else must(session.stage(inputOf(event)));
  }
  must(await session.close({ ok: true, status: "success" }));
  must(await log.flush());
  return session.session_id;
}

function inputOf({ type, actor, payload }: Event): EventInput {
  return { type, actor, payload } as EventInput;
}
