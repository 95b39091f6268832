import { ok, type Result, type SessionId } from "#base";
import type { Runtime } from "#compose";
import type { Event } from "#events";

/** Hooks and recoveries may speak before an order's start; more than this does not come before it. */
const mostBefore = 64;

/** The start of a session's order, if it is on disk: from then on the order counts as accepted. */
export async function hasBegun(
  session_id: SessionId,
  runtime: Runtime,
): Promise<Result<Event<"wo.started"> | undefined>> {
  let seen = 0;
  for await (const event of runtime.log.read(session_id)) {
    if (!event.ok) return event.error.code === "NOT_FOUND" ? ok(undefined) : event;
    if (event.value.type === "wo.started") return ok(event.value);
    seen += 1;
    if (seen > mostBefore) break;
  }
  return ok(undefined);
}
