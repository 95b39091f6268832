import { type DomainError, domainError } from "#core/errors";
import { type JsonObject, type JsonValue, type Result } from "#core/values";
import type { Recorder } from "#log";
import type { Approval, ApprovalRequest } from "./approval.ts";
import type { AskedKind } from "./approval-kind.ts";

/** Who asks. */
export interface Asker {
  /** On whose behalf; they cannot decide it. */
  readonly author: string;
  /** The session that waits: question and decision stand in its log. Null: none waits, and the workspace records them. */
  readonly session: Pick<Recorder, "append" | "session_id"> | null;
  /** What the question is about, where no session waits. */
  readonly session_id?: string;
  readonly run_id?: string;
}

/** What a person decided, as the asker needs it. */
export type Verdict = Approved | Denied | Waiting;

export interface Approved {
  readonly state: "approved";
  readonly approval_id: string;
  /** What was chosen; of a question that was not answered in time, nothing. */
  readonly choice?: string;
  readonly by: string;
  readonly reason: string;
  /** What the person says came of it; null when they said nothing. */
  readonly result: JsonValue;
}

export interface Denied {
  readonly state: "denied";
  readonly approval_id: string;
  /** What was chosen; of a question that was not answered in time, nothing. */
  readonly choice?: string;
  readonly by: string;
  readonly reason: string;
  /** It counts as denied because the time ran out. */
  readonly expired: boolean;
}

/** The session stops open until there is a decision. */
export interface Waiting {
  readonly state: "waiting";
  readonly approval_id: string;
  readonly expires_at: string;
}

/** The inbox on behalf of one caller and one session: a question asked again is answered with what was decided. */
export type Ask = <Question>(kind: AskedKind<Question>, question: NoInfer<Question>) => Promise<Result<Verdict>>;

export function requestOf<Question>(
  kind: AskedKind<Question>,
  question: Question,
  { author, session, ...about }: Asker,
  redact: (subject: JsonObject) => JsonObject,
): ApprovalRequest {
  const session_id = session?.session_id ?? about.session_id;
  return {
    kind: kind.kind,
    occasion: kind.occasion(question, session_id ?? ""),
    // A question may quote what a tool was given: people and the store get the view.
    title: textOf(redact({ text: kind.title(question) })),
    reason: textOf(redact({ text: kind.reason(question) })),
    author,
    ...(session_id === undefined ? {} : { session_id }),
    ...(about.run_id === undefined ? {} : { run_id: about.run_id }),
    subject: kind.subject.of(question, { session_id: session_id ?? "", redact }),
    choices: kind.choices(question),
    expiresInMs: kind.expiresInMs === "workspace default" ? null : kind.expiresInMs(question),
  };
}

function textOf({ text }: JsonObject): string {
  return typeof text === "string" ? text : "";
}

export function verdictOf(
  { state, approval_id, choice, decided_by, decision_reason, expires_at, result }: Approval,
  { onExpiry }: Pick<AskedKind<never>, "onExpiry">,
): Verdict {
  if (state === "open" || (state === "expired" && onExpiry === "nothing"))
    return { state: "waiting", approval_id, expires_at };
  if (state === "expired")
    return {
      state: "denied",
      approval_id,
      by: "nobody",
      reason: onExpiry === "nothing" ? "" : onExpiry(expires_at),
      expired: true,
    };
  const decided = { approval_id, choice: choice ?? "", by: decided_by ?? "nobody", reason: decision_reason ?? "" };
  return state === "approved" ? { state, ...decided, result } : { state: "denied", ...decided, expired: false };
}

/** There is no decision yet: the session stops open until there is one. */
export function pendingError({ approval_id, expires_at }: Waiting, question: string): DomainError {
  return domainError(
    "APPROVAL_PENDING",
    `a person has to decide first: ${question}? (${approval_id}, until ${expires_at})`,
    { details: { approval_id, hint: `writ inbox show ${approval_id}` } },
  );
}
