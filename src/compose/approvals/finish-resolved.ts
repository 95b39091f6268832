import { isSessionId, ok, type Result } from "#base";
import type { Event, EventLog } from "#events";
import { readEvents } from "#flow";
import type { Approval, Inbox } from "#governance";

/** More words than people can have left standing. */
const wordsAtMost = 1000;

/**
 * Words on calls in doubt that their sessions have recorded: whoever said them died before they counted. Nothing is left to
 * be carried out, so nobody has to repeat them.
 */
export async function finishResolved({
  inbox,
  log,
}: {
  readonly inbox: Inbox;
  readonly log: Pick<EventLog, "open" | "read">;
}): Promise<Result<void>> {
  const open = await inbox.list({ state: "open", limit: wordsAtMost });
  if (!open.ok) return open;
  for (const question of open.value) {
    if (question.kind !== "in_doubt" || question.choice === null) continue;
    const finished = await finish(question, inbox, log);
    if (!finished.ok) return finished;
  }
  return ok(undefined);
}

async function finish(
  question: Approval,
  inbox: Inbox,
  log: Pick<EventLog, "open" | "read">,
): Promise<Result<unknown>> {
  const { session_id, approval_id } = question;
  if (session_id === null || !isSessionId(session_id)) return ok(undefined);
  // Whoever is saying it right now holds the session until it counts, and finishes it without us.
  const held = await log.open(session_id);
  if (!held.ok && held.error.code !== "SESSION_CLOSED") return ok(undefined);
  const events = await readEvents(log, session_id);
  // A record that cannot be read proves nothing: the word stays as it is, and the list is still shown.
  const finished = events.ok && isRecorded(question, events.value) ? await inbox.finish(approval_id) : ok(undefined);
  const released = held.ok ? await held.value.release() : ok(undefined);
  return finished.ok ? released : finished;
}

/** Whether the session holds this word on this attempt of the call. */
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
