import { ok, type Result } from "#core/values";
import type { EventLog, SessionLog } from "#log";
import type { StoppedSession } from "./stopped-session.ts";

/**
 * Whether another process continued a session after its record was read and before it was opened: reading takes no lock.
 * Its steps are not in the record that was read, so a resume by that record would repeat them. A recovery event that the
 * log itself appends is no step.
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
