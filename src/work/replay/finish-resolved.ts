import { isSessionId, ok, type Result } from "#core/values";
import { type InDoubtParts, inDoubt } from "#effects";
import type { Event, EventLog } from "#log";
import type { Approval, Inbox } from "#people";
import { readEvents } from "./read-events.ts";

/** Above any plausible number of pending decisions. */
const decisionsAtMost = 1000;

type Log = Pick<EventLog, "open" | "read">;

export function inDoubtParts(log: Pick<Log, "read">): InDoubtParts {
  return {
    async isRecorded(approval) {
      const { session_id } = approval;
      if (session_id === null || !isSessionId(session_id)) return ok(false);
      const events = await readEvents(log, session_id);
      // If the session cannot be read, the decision stays pending, and the list is still shown.
      return ok(events.ok && isRecorded(approval, events.value));
    },
  };
}

/**
 * Finishes decisions on calls in doubt that their sessions have recorded: the process died before it marked them as applied.
 * The session has the resolution already, so it is not appended again.
 */
export async function finishResolved({
  inbox,
  log,
}: {
  readonly inbox: Inbox;
  readonly log: Log;
}): Promise<Result<void>> {
  const open = await inbox.list({ state: "open", limit: decisionsAtMost });
  if (!open.ok) return open;
  for (const question of open.value) {
    if (question.kind !== inDoubt.kind || question.choice === null) continue;
    const finished = await finish(question, inbox, log);
    if (!finished.ok) return finished;
  }
  return ok(undefined);
}

async function finish(question: Approval, inbox: Inbox, log: Log): Promise<Result<unknown>> {
  const { session_id, approval_id } = question;
  if (session_id === null || !isSessionId(session_id)) return ok(undefined);
  // A process that is deciding holds the session until the decision is applied, and finishes it itself.
  const held = await log.open(session_id);
  if (!held.ok && held.error.code !== "SESSION_CLOSED") return ok(undefined);
  const recorded = await inDoubtParts(log).isRecorded(question);
  const finished = recorded.ok && recorded.value ? await inbox.finish(approval_id) : recorded;
  const released = held.ok ? await held.value.release() : ok(undefined);
  return finished.ok ? released : finished;
}

/** Whether the session has recorded this decision on this attempt of the call. */
function isRecorded({ subject, choice }: Approval, events: readonly Event[]): boolean {
  const ofCall = events.filter(
    (event): event is Event<"tool.invoke"> | Event<"effect.resolved"> =>
      (event.type === "tool.invoke" || event.type === "effect.resolved") &&
      event.payload.call_id === subject["call_id"],
  );
  const at = ofCall.findIndex(({ type, payload }) => type === "tool.invoke" && payload.attempt === subject["attempt"]);
  const next = at < 0 ? undefined : ofCall[at + 1];
  return next?.type === "effect.resolved" && next.payload.outcome === choice;
}
