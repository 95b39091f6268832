import type { Router } from "#agents";
import type { EventPayloads } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Recorder } from "#log";

/** What happens to partial work when a flow fails midway. */
export type RecoveryDecision = "discard" | "quarantine" | "retry";

export interface RecoveryRules {
  /** How often a retryable failure is retried. */
  readonly max_retries: number;
  /** Whether partial results are quarantined for a person, or dropped. */
  readonly keep_partial: boolean;
}

/** What recovery knows of a running flow. */
export interface RecoveryState {
  /** Failed calls of a model that were made again. */
  retries: number;
  /** Answers of the steps so far. */
  partial: readonly string[];
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

/**
 * Makes a failed call of a model again where the rules say so. The conversation goes on from its last answer: what was said
 * and done before the failure is neither asked nor done again.
 */
export function recoveringRouter(
  router: Router,
  rules: RecoveryRules,
  { state, recorder }: { readonly state: RecoveryState; readonly recorder: Recorder },
): Router {
  const { exchange, speaks, serves } = router;
  return {
    // A program asks again by itself.
    ...(exchange ? { exchange } : {}),
    ...(speaks ? { speaks } : {}),
    ...(serves ? { serves } : {}),
    windowOf: (role) => router.windowOf?.(role),
    seesImages: (role) => router.seesImages?.(role),
    async send(request) {
      const before = [...request.conversation.messages];
      for (;;) {
        const answered = await router.send(request);
        if (answered.ok) return answered;
        const { error } = answered;
        const attempt = state.retries + 1;
        if (decideRecovery(true, rules, { error, attempt, partialResults: 0 }) !== "retry") return answered;
        state.retries = attempt;
        const recorded = recorder.stage(recoveryDecided("retry", { attempt, error }));
        if (!recorded.ok) return recorded;
        request.conversation.replace(before);
      }
    },
  };
}

export function recoveryDecided(
  decision: RecoveryDecision,
  {
    attempt,
    error,
    partial,
  }: { readonly attempt: number; readonly error: DomainError; readonly partial?: readonly string[] },
): { readonly type: "recovery.decided"; readonly actor: "flow"; readonly payload: EventPayloads["recovery.decided"] } {
  return {
    type: "recovery.decided",
    actor: "flow",
    payload: {
      decision,
      attempt,
      error: { code: error.code, message: error.message },
      ...(partial === undefined ? {} : { partial: [...partial] }),
    },
  };
}
