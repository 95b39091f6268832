/** The numbers that the rules need, from the configuration. */
export interface KernelLimits {
  /** How often an item may return to the queue before it fails. */
  readonly maxRetries: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  /** How many turns in a row may fail before the run closes as failed. */
  readonly turnFailureLimit: number;
  readonly turnBackoffMs: number;
  readonly turnBackoffMaxMs: number;
}

export const defaultLimits: KernelLimits = {
  maxRetries: 3,
  retryBackoffMs: 1_000,
  retryBackoffMaxMs: 300_000,
  turnFailureLimit: 5,
  turnBackoffMs: 1_000,
  turnBackoffMaxMs: 60_000,
};

/** The maximum of `app_turn_actions_v1`, well below the 2,147,483,647 of a database integer. */
export const mostRetries = 1_000_000;

/** Doubles with every attempt. Without jitter, so that the kernel is deterministic. */
export function backoff(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, attempt - 1)));
}
