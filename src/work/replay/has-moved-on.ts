import { ok, type Result } from "#core/values";
import type { EventLog, SessionLog } from "#log";
import type { StoppedSession } from "./stopped-session.ts";

/**
 * Whether somebody went on with a session after its record was read and before it was opened: reading takes no lock. What
 * they did is not in that record, so whoever followed it would do it again. A recovery note of the log itself is no step.
 */
export async function wasContinued(
  log: Pick<EventLog, "read">,
  session: Pick<SessionLog, "head">,
  { session_id, events }: StoppedSession,
): Promise<Result<boolean>> {
  const read = events.at(-1)?.seq ?? 0;
  if (session.head.seq === read) return ok(false);
  for await (const event of log.read(session_id, { from: read + 1 })) {
    if (!event.ok) return event;
    if (event.value.type !== "log.recovered") return ok(true);
  }
  return ok(false);
}
