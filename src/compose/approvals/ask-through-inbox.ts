import { ok } from "#base";
import type { FlowDependencies } from "#flow";
import type { Inbox } from "#governance";

/** A phase that waits for a person, as a question in the inbox. Asked again, the inbox answers with what was decided. */
export function askThroughInbox(inbox: Inbox): FlowDependencies["askPerson"] {
  return async (question, { caller_id, session }) => {
    const { cycle_id, phase, visit, timeout_seconds, about, finding } = question;
    const place = `${session.session_id} ${phase} ${visit}`;
    const asked = await inbox.ask(
      {
        ...(finding === null
          ? { kind: "workflow_wait", occasion: place, title: `${cycle_id} waits in ${phase}` }
          : {
              kind: "gated_finding",
              occasion: `${place} ${finding}`,
              title: `${cycle_id} found something in ${phase}`,
            }),
        reason: question.question,
        author: caller_id,
        session_id: session.session_id,
        subject: { question: question.question, cycle_id, phase, visit, session_id: session.session_id, ...about },
        ...(timeout_seconds === null ? {} : { expiresInMs: timeout_seconds * 1000 }),
      },
      session,
    );
    if (!asked.ok) return asked;
    const { state, approval_id, decided_by, decision_reason, expires_at } = asked.value;
    switch (state) {
      case "open":
        return ok({ state: "pending", approval_id });
      case "expired":
        return ok({ state, approval_id, by: "nobody", reason: `nobody decided before ${expires_at}` });
      case "approved":
      case "denied":
      case "superseded":
        return ok({
          state: state === "approved" ? state : "denied",
          approval_id,
          by: decided_by ?? "nobody",
          reason: decision_reason ?? "",
        });
    }
  };
}
