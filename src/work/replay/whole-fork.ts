import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { type Event, type EventLog, startOf } from "#log";
import { readEvents } from "./read-events.ts";

/**
 * A fork first gives back what its parent had done, from the parent's record. One that stopped before it was through with
 * that is refused: taken up, it would find no answer in its own record and make its parent's calls again.
 */
export async function checkWholeFork(
  log: EventLog,
  session_id: SessionId,
  events: readonly Event[],
): Promise<Result<void>> {
  const { parent_kind, parent_session_id, parent_seq = 0 } = startOf(events);
  if (parent_kind !== "fork" || parent_session_id === undefined) return ok(undefined);
  const parent = await readEvents(log, parent_session_id as SessionId);
  if (!parent.ok) return parent;
  const past = parent.value.filter(({ seq }) => seq <= parent_seq);
  if (callsIn(events) >= callsIn(past)) return ok(undefined);
  return err(
    domainError(
      "SESSION_CLOSED",
      `the fork ${session_id} stopped while it still gave back what its parent had done, and cannot be taken up`,
      {
        details: {
          session_id,
          hint: `fork again: writ session fork ${parent_session_id} --at ${parent_seq}; nothing that was done is done twice`,
        },
      },
    ),
  );
}

function callsIn(events: readonly Event[]): number {
  return events.filter(({ type }) => type === "tool.output").length;
}
