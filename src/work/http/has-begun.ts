import { ok, type Result, type SessionId } from "#core/values";
import type { Event, LogReader } from "#log";

/** At most this many events of hooks and recoveries precede the start of an order. */
const mostBefore = 64;

/** The start of a session's order, if it is on disk; from then on the order is accepted. */
export async function hasBegun(
  session_id: SessionId,
  log: Pick<LogReader, "read">,
): Promise<Result<Event<"wo.started"> | undefined>> {
  let seen = 0;
  for await (const event of log.read(session_id)) {
    if (!event.ok) return event.error.code === "NOT_FOUND" ? ok(undefined) : event;
    if (event.value.type === "wo.started") return ok(event.value);
    seen += 1;
    if (seen > mostBefore) break;
  }
  return ok(undefined);
}
