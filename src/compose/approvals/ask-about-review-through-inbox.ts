import { err, type JsonObject, ok } from "#base";
import type { FlowDependencies } from "#flow";
import type { Inbox } from "#governance";
import { pending } from "./pending.ts";
import { recordDecision } from "./record-decision.ts";

/** Work that its reviewer refused, as a question in the inbox. Asked again, the inbox answers with what was decided. */
export function askAboutReviewThroughInbox(
  inbox: Inbox,
  redact: (payload: JsonObject) => JsonObject,
): NonNullable<FlowDependencies["askAboutReview"]> {
  return async ({ output, feedback, rework_count, reason }, { caller_id, session }) => {
    const { session_id } = session;
    const asked = await inbox.ask(
      {
        kind: "escalated_review",
        occasion: session_id,
        title: "A review did not pass, and rework is spent",
        reason,
        author: caller_id,
        session_id,
        subject: redact({ output, feedback, reason, rework_count, session_id }),
        choices: ["accept", "reject"],
      },
      session,
    );
    if (!asked.ok) return asked;
    const approval = asked.value;
    switch (approval.state) {
      case "open":
        return err(pending(approval, "does the work count although its reviewer refused it"));
      case "expired":
        return ok({ accepted: false, by: "nobody", reason: `nobody accepted it before ${approval.expires_at}` });
      case "approved":
      case "denied":
      case "superseded": {
        const recorded = await recordDecision(approval, session);
        if (!recorded.ok) return recorded;
        const { state, decided_by, decision_reason } = approval;
        return ok({ accepted: state === "approved", by: decided_by ?? "nobody", reason: decision_reason ?? "" });
      }
    }
  };
}
