import { err, type JsonObject, ok } from "#base";
import type { FlowDependencies } from "#flow";
import type { Inbox } from "#governance";
import { pending } from "./pending.ts";
import { recordDecision } from "./record-decision.ts";

/** A step that a hook holds at a gate, as a question in the inbox. Asked again, the inbox answers with what was decided. */
export function askAtGateThroughInbox(
  inbox: Inbox,
  redact: (payload: JsonObject) => JsonObject,
): NonNullable<FlowDependencies["askAtGate"]> {
  return async ({ point, subject = "", payload, reason, decidedBy }, { caller_id, session }) => {
    const { session_id } = session;
    const asked = await inbox.ask(
      {
        kind: "held_step",
        occasion: `${session_id} ${point} ${subject}`,
        title: `${point} of ${subject} waits for a person`,
        reason,
        author: caller_id,
        session_id,
        subject: { point, subject, payload: redact(payload), asked_by: decidedBy, session_id },
      },
      session,
    );
    if (!asked.ok) return asked;
    const approval = asked.value;
    switch (approval.state) {
      case "open":
        return err(pending(approval, `may ${subject} pass ${point}`));
      case "expired":
        return ok({ allowed: false, by: "nobody", reason: `nobody allowed it before ${approval.expires_at}` });
      case "approved":
      case "denied":
      case "superseded": {
        const recorded = await recordDecision(approval, session);
        if (!recorded.ok) return recorded;
        const { state, decided_by, decision_reason } = approval;
        return ok({ allowed: state === "approved", by: decided_by ?? "nobody", reason: decision_reason ?? "" });
      }
    }
  };
}
