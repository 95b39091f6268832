import { ok, type Result, type SessionId } from "#base";
import type { Caller, Inbox } from "#governance";
import type { Resolution } from "../runtime/resolution.ts";

/** More calls than one session can have in doubt. */
const questionsAtMost = 1000;

/**
 * What a person says of a call in doubt, as the answer to the question that waits for it. Left open, it would ask somebody again
 * who could say the opposite. Whoever may not answer it in the inbox may not say it elsewhere.
 */
export async function answerDoubt(
  { inbox, localCaller }: { readonly inbox: Inbox; readonly localCaller: () => Result<Caller> },
  said: { readonly session_id: SessionId; readonly call_id: string; readonly resolution: Resolution },
): Promise<Result<void>> {
  const { session_id, call_id, resolution } = said;
  const open = await inbox.list({ state: "open", session_id, limit: questionsAtMost });
  if (!open.ok) return open;
  const questions = open.value.filter(({ kind, subject }) => kind === "in_doubt" && subject["call_id"] === call_id);
  if (questions.length === 0) return ok(undefined);
  const by = localCaller();
  if (!by.ok) return by;
  for (const { approval_id, subject_hash } of questions) {
    const decided = await inbox.decide(by.value, approval_id, {
      choice: resolution.outcome,
      subject_hash,
      reason: "said with `writ session resolve`",
      ...(resolution.outcome === "done" && resolution.result !== undefined ? { result: resolution.result } : {}),
    });
    if (!decided.ok) return decided;
  }
  return ok(undefined);
}
