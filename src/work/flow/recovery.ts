import type { DomainError } from "#core/errors";

/** What happens to partial work when a flow fails midway. */
export type RecoveryDecision = "discard" | "quarantine" | "retry";

export interface RecoveryRules {
  /** How often a retryable failure is retried. */
  readonly max_retries: number;
  /** Whether partial results are quarantined for a person, or dropped. */
  readonly keep_partial: boolean;
}

/** With the feature off partial work is discarded, as in seed 000's v1. */
export function decideRecovery(
  enabled: boolean,
  rules: RecoveryRules,
  failure: { readonly error: DomainError; readonly partialResults: number; readonly attempt: number },
): RecoveryDecision {
  if (!enabled) return "discard";
  if (failure.error.retryable && failure.error.kind !== "canceled" && failure.attempt <= rules.max_retries)
    return "retry";
  return rules.keep_partial && failure.partialResults > 0 ? "quarantine" : "discard";
}
