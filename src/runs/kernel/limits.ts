/** The numbers that the rules need. Configuration hands them in; these are the defaults. */
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

/** More than anybody waits for; a database counts to 2,147,483,647. As `app_turn_actions_v1` says. */
export const mostRetries = 1_000_000;

/** Doubles with every attempt, from the first. Without chance, so that the kernel decides the same twice. */
export function backoff(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, attempt - 1)));
}
