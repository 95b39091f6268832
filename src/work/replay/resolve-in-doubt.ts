import { type Caller, err, ok, type Result, type SessionId } from "#core/values";
import { inDoubt } from "#effects";
import { type Approval, contradicts, type Inbox } from "#people";
import type { Resolution } from "./resolution.ts";

/** More calls than one session can have in doubt. */
const questionsAtMost = 1000;

/** A call in doubt, and its outcome by a person's statement. */
interface Said {
  readonly session_id: SessionId;
  readonly call_id: string;
  readonly attempt: number;
  readonly resolution: Resolution;
}

/**
 * Resolves a call in doubt as the answer to its question in the inbox. The inbox stores the decision before the session
 * records it and marks it as applied afterwards: in between the opposite decision is refused, and the same decision
 * continues. A caller who may not answer in the inbox may not resolve the call elsewhere.
 */
export async function resolveInDoubt<T>(
  { inbox, localCaller }: { readonly inbox: Inbox; readonly localCaller: () => Result<Caller> },
  said: Said,
  /** Appends the resolution to the session; without `by` in the name of the local caller. */
  record: (resolution: Resolution, by?: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { resolution } = said;
  const asked = await questionOf(inbox, said);
  if (!asked.ok) return asked;
  const found = asked.value ? await inbox.asWritten(asked.value) : asked;
  if (!found.ok) return found;
  const question = found.value;
  // Without an open question only the session records the resolution.
  if (!question || question.state === "expired" || question.state === "superseded") return record(resolution);
  const decision = {
    choice: resolution.outcome,
    ...(resolution.outcome === "done" && resolution.result !== undefined ? { result: resolution.result } : {}),
  };
  if (question.state !== "open") {
    const other = contradicts(question, decision);
    return other ? err(other) : record(pendingOr(question, resolution), question.decided_by ?? undefined);
  }
  const by = localCaller();
  if (!by.ok) return by;
  let recorded: Result<T> | undefined;
  const { approval_id, subject_hash } = question;
  const input = { ...decision, subject_hash, reason: "said with `writ session resolve`" };
  const decided = await inbox.decide(by.value, approval_id, input, async () =>
    ok(async () => {
      recorded = await record(pendingOr(question, resolution), question.decided_by ?? undefined);
      return recorded.ok ? { state: "done" } : { state: "failed", error: recorded };
    }),
  );
  return decided.ok && recorded ? recorded : (decided as Result<never>);
}

async function questionOf(inbox: Inbox, { session_id, call_id, attempt }: Said): Promise<Result<Approval | undefined>> {
  const asked = await inbox.list({ session_id, limit: questionsAtMost });
  if (!asked.ok) return asked;
  return ok(
    asked.value.find(
      ({ kind, subject }) => kind === inDoubt.kind && subject["call_id"] === call_id && subject["attempt"] === attempt,
    ),
  );
}

/** A pending decision keeps the result that came with it. */
function pendingOr({ choice, result }: Approval, resolution: Resolution): Resolution {
  return choice === "done" && result !== null ? { outcome: "done", result } : resolution;
}
