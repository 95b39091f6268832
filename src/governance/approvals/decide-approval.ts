import { type DomainError, domainError } from "#base";
import type { Caller } from "../identity/caller.ts";
import { covers } from "../identity/covers.ts";
import type { Approval } from "./approval.ts";

export interface DecisionWish {
  readonly choice: string;
  /** The hash of what the person was shown. */
  readonly subject_hash: string;
  readonly reason: string;
}

/** Whether people at this machine may decide what they asked for themselves. Over the network nobody may. */
export type SelfApproval = "local" | "never";

/** Why this person may not decide this; undefined when they may. */
export function refuseDecision(
  approval: Approval,
  by: Caller,
  wish: DecisionWish,
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
      `${by.id} asked for this and cannot approve it: somebody else with the right "approve" has to decide`,
      { details: { caller: by.id, author } },
    );
  if (!choices.includes(wish.choice))
    return domainError("MALFORMED_INPUT", `${approval_id} takes ${choices.join(" or ")}, not "${wish.choice}"`);
  if (wish.subject_hash !== subject_hash)
    return domainError(
      "WRITE_CONFLICT",
      `what was shown is not what waits: the decision is about ${wish.subject_hash.slice(0, 16)}…, ${approval_id} is about ${subject_hash.slice(0, 16)}…`,
      { retryable: false, details: { approval_id } },
    );
  if (state === "open") return undefined;
  const why = state === "expired" ? `it expired at ${approval.expires_at}` : `${approval.decided_by} decided already`;
  return domainError("WRITE_CONFLICT", `${approval_id} can no longer be decided: ${why}`, {
    retryable: false,
    details: { approval_id, state, hint: "`writ inbox list --all` shows what was decided, and what still waits" },
  });
}
