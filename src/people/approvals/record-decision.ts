import type { Result } from "#core/values";
import type { Recorder } from "#log";
import type { Approval } from "./approval.ts";

/** A decision stands in the waiting session's own log before the session acts on it. */
export function recordDecision(
  approval: Approval,
  recorder: Pick<Recorder, "append">,
  { call_id }: { readonly call_id?: string },
): Promise<Result<unknown>> {
  const { approval_id, kind, subject_hash, author, choice, decided_by, decided_at, decision_reason } = approval;
  return recorder.append({
    type: "approval.decided",
    actor: decided_by ?? "nobody",
    payload: {
      approval_id,
      kind,
      subject_hash,
      author,
      choice: choice ?? "",
      by: decided_by ?? "",
      reason: decision_reason ?? "",
      decided_at: decided_at ?? "",
      ...(call_id === undefined ? {} : { call_id }),
    },
  });
}
