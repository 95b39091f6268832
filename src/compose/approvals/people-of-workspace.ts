import { canonicalJson, domainError, err, type JsonValue, ok, type Result, sha256 } from "#base";
import type { Approval, ApprovalRequest, Inbox } from "#governance";
import type { CallQuestion, People } from "#tools";
import { pending } from "./pending.ts";
import { recordDecision } from "./record-decision.ts";

/** The people of this workspace, reached through its inbox, on behalf of one caller. */
export function peopleOfWorkspace(inbox: Inbox, caller_id: string): People {
  return {
    async mayCall(question) {
      const asked = await inbox.ask(callRequest(question, caller_id), question.recorder);
      if (!asked.ok) return asked;
      const approval = asked.value;
      if (approval.state === "open") return err(pending(approval, `may "${question.tool}" be called`));
      if (approval.state === "expired")
        return err(
          domainError(
            "GATE_DENIED",
            `"${question.tool}" was not called: nobody allowed it before ${approval.expires_at}`,
            {
              details: { approval_id: approval.approval_id },
            },
          ),
        );
      const recorded = await recordDecision(approval, question.recorder, question.call_id);
      if (!recorded.ok) return recorded;
      if (approval.state === "approved") return ok(undefined);
      const why = approval.decision_reason ? `: ${approval.decision_reason}` : "";
      return err(
        domainError("GATE_DENIED", `"${question.tool}" was not called: ${approval.decided_by} denied it${why}`, {
          details: { decided_by: approval.decided_by, approval_id: approval.approval_id },
        }),
      );
    },
    async whatBecameOf(question) {
      const asked = await inbox.ask(doubtRequest(question, caller_id), question.recorder);
      if (!asked.ok) return asked;
      const approval = asked.value;
      if (approval.decided_at === null) return err(inDoubt(approval, question));
      const recorded = await recordDecision(approval, question.recorder, question.call_id);
      if (!recorded.ok) return recorded;
      const resolved = await recordResolution(approval, question);
      if (!resolved.ok) return resolved;
      return ok(approval.choice === "done" ? { outcome: "done", result: approval.result } : { outcome: "not_done" });
    },
  };
}

function callRequest(question: CallQuestion, author: string): ApprovalRequest {
  const { call_id, tool, tool_hash, args, role, work_order_id, reason, recorder } = question;
  return {
    kind: "tool_call",
    occasion: `${recorder.session_id} ${call_id}`,
    title: `The ${role} wants to call ${tool}`,
    reason,
    author,
    session_id: recorder.session_id,
    subject: { tool, tool_hash, args, call_id, session_id: recorder.session_id, work_order_id },
  };
}

function doubtRequest(question: CallQuestion, author: string): ApprovalRequest {
  const { call_id, tool, tool_hash, args, attempt, work_order_id, reason, recorder } = question;
  return {
    kind: "in_doubt",
    occasion: `${recorder.session_id} ${call_id} ${attempt}`,
    title: `Did ${tool} take effect?`,
    reason,
    author,
    session_id: recorder.session_id,
    subject: { tool, tool_hash, args, call_id, attempt, session_id: recorder.session_id, work_order_id },
    choices: ["done", "not_done"],
  };
}

function recordResolution(approval: Approval, { call_id, tool, recorder }: CallQuestion): Promise<Result<unknown>> {
  const { choice, decided_by, result } = approval;
  return recorder.append({
    type: "effect.resolved",
    actor: decided_by ?? "nobody",
    payload: {
      call_id,
      name: tool,
      outcome: choice === "done" ? "done" : "not_done",
      by: decided_by ?? "",
      ...(choice === "done" ? { result, result_hash: hashOf(result) } : {}),
    },
  });
}

function hashOf(value: JsonValue): string {
  return sha256(canonicalJson(value));
}

function inDoubt({ approval_id }: Approval, { call_id, tool, reason, recorder }: CallQuestion) {
  return domainError("EFFECT_IN_DOUBT", reason, {
    details: { approval_id, call_id, tool, session_id: recorder.session_id, hint: `writ inbox show ${approval_id}` },
  });
}
