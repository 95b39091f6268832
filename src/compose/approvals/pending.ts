import { type DomainError, domainError } from "#base";
import type { Approval } from "#governance";

/** Nobody has spoken yet: the session stops open until somebody has. */
export function pending({ approval_id, expires_at }: Approval, question: string): DomainError {
  return domainError(
    "APPROVAL_PENDING",
    `a person has to decide first: ${question}? (${approval_id}, until ${expires_at})`,
    { details: { approval_id, hint: `writ inbox show ${approval_id}` } },
  );
}
