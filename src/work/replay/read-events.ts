import { ok, type Result, type SessionId } from "#core/values";
import type { Event, EventLog } from "#log";

/** The whole of a session, proven. */
export async function readEvents(
  log: Pick<EventLog, "read">,
  session_id: SessionId,
): Promise<Result<readonly Event[]>> {
  const events: Event[] = [];
  for await (const event of log.read(session_id)) {
    if (!event.ok) return event;
    events.push(event.value);
  }
  return ok(events);
}
