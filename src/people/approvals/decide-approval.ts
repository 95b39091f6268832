import { type DomainError, domainError } from "#core/errors";
import { type Caller, canonicalJson, type JsonValue } from "#core/values";
import { covers } from "../identity/covers.ts";
import type { Approval } from "./approval.ts";

export interface DecisionInput {
  readonly choice: string;
  /** The hash of what the person was shown. */
  readonly subject_hash: string;
  readonly reason: string;
  /** What the person says came of it. */
  readonly result?: JsonValue;
}

/** Whether a caller at this machine may decide its own questions. Over the network no caller may. */
export type SelfApproval = "local" | "never";

/** Why this caller may not decide this; undefined when it may. */
export function refuseDecision(
  approval: Approval,
  by: Caller,
  input: DecisionInput,
  self: SelfApproval,
): DomainError | undefined {
  const { approval_id, author, choices, state, subject_hash } = approval;
  if (!covers(by.grants, "approve"))
    return domainError("NOT_AUTHORIZED", `${by.id} may not decide: no role of theirs grants "approve"`, {
      details: { caller: by.id, right: "approve" },
    });
  const isAuthor = by.id === author;
  if (isAuthor && !(self === "local" && by.authenticatedBy === "local"))
    return domainError(
      "NOT_AUTHORIZED",
      `${by.id} asked for this and cannot approve it: another person with the right "approve" has to decide`,
      { details: { caller: by.id, author } },
    );
  if (!choices.includes(input.choice))
    return domainError("MALFORMED_INPUT", `${approval_id} takes ${choices.join(" or ")}, not "${input.choice}"`);
  if (input.subject_hash !== subject_hash)
    return domainError(
      "WRITE_CONFLICT",
      `what was shown is not what waits: the decision is about ${input.subject_hash.slice(0, 16)}…, ${approval_id} is about ${subject_hash.slice(0, 16)}…`,
      { retryable: false, details: { approval_id } },
    );
  if (state === "open") return approval.choice === null ? undefined : contradicts(approval, input);
  const why = whyClosed(approval);
  return domainError("WRITE_CONFLICT", `${approval_id} can no longer be decided: ${why}`, {
    retryable: false,
    details: { approval_id, state, hint: "`writ inbox list --all` shows what was decided, and what still waits" },
  });
}

/** Why a decision contradicts the one that is stored; undefined when it is the same. */
export function contradicts(
  { approval_id, choice, decided_by, result }: Pick<Approval, "approval_id" | "choice" | "decided_by" | "result">,
  decision: { readonly choice: string; readonly result?: JsonValue },
): DomainError | undefined {
  const isSame =
    decision.choice === choice &&
    (decision.result === undefined || canonicalJson(decision.result) === canonicalJson(result));
  if (isSame) return undefined;
  const other = decision.choice === choice ? " with another result" : "";
  return domainError(
    "WRITE_CONFLICT",
    `${decided_by} said "${choice}"${other} to ${approval_id} before: a word that was said stands`,
    { retryable: false, details: { approval_id, choice, hint: "a caller who says the same goes on with it" } },
  );
}

function whyClosed({ state, expires_at, decided_by, decision_reason }: Approval): string {
  if (state === "expired") return `it expired at ${expires_at}`;
  if (state === "superseded") return `it was superseded: ${decision_reason}`;
  return `${decided_by} decided already`;
}
