import { type Caller, err, ok, type Result, type SessionId } from "#base";
import { type Approval, contradicts, type Inbox } from "#governance";
import type { Resolution } from "../runtime/resolution.ts";

/** More calls than one session can have in doubt. */
const questionsAtMost = 1000;

/** A call in doubt, and what a person says became of it. */
interface Said {
  readonly session_id: SessionId;
  readonly call_id: string;
  readonly attempt: number;
  readonly resolution: Resolution;
}

/**
 * What a person says of a call in doubt, as the answer to the question that waits for it. The inbox holds their word before
 * the session does, and it is decided there after the session has recorded it: so nobody can say the opposite in between,
 * and whoever says the same goes on. Whoever may not answer it in the inbox may not say it elsewhere.
 */
export async function answerDoubt<T>(
  { inbox, localCaller }: { readonly inbox: Inbox; readonly localCaller: () => Result<Caller> },
  said: Said,
  /** Makes it the session's. By nobody in particular: by whoever acts here. */
  record: (resolution: Resolution, by?: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { resolution } = said;
  const found = await questionOf(inbox, said);
  if (!found.ok) return found;
  const question = found.value;
  // Nobody was asked, or nobody can answer any more: the word is the session's alone.
  if (!question || question.state === "expired" || question.state === "superseded") return record(resolution);
  const word = {
    choice: resolution.outcome,
    ...(resolution.outcome === "done" && resolution.result !== undefined ? { result: resolution.result } : {}),
  };
  if (question.state !== "open") {
    const other = contradicts(question, word);
    return other ? err(other) : record(standing(question, resolution), question.decided_by ?? undefined);
  }
  const by = localCaller();
  if (!by.ok) return by;
  let recorded: Result<T> | undefined;
  const { approval_id, subject_hash } = question;
  const wish = { ...word, subject_hash, reason: "said with `writ session resolve`" };
  const decided = await inbox.decide(by.value, approval_id, wish, async () =>
    ok(async () => {
      recorded = await record(standing(question, resolution), question.decided_by ?? undefined);
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
      ({ kind, subject }) => kind === "in_doubt" && subject["call_id"] === call_id && subject["attempt"] === attempt,
    ),
  );
}

/** Of a word that was said before, also what was said to have come of it. */
function standing({ choice, result }: Approval, resolution: Resolution): Resolution {
  return choice === "done" && result !== null ? { outcome: "done", result } : resolution;
}
