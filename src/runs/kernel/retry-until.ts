import { type DomainError } from "#core/errors";
import { type Clock, err, type Result, sleep } from "#core/values";

/**
 * Retries a command while the store is unavailable, until the retry is pointless. Every command may be repeated unchanged:
 * one that was applied, and whose answer was lost, returns the same outcome.
 */
export async function retryUntil<T>(
  say: () => Promise<Result<T>>,
  options: {
    readonly clock: Clock;
    readonly until: () => number;
    readonly report: (problem: DomainError) => void;
    /** The error of the first attempt. */
    readonly problem?: DomainError;
  },
): Promise<Result<T>> {
  for (let attempt = 0; ; attempt++) {
    const answer = attempt === 0 && options.problem ? err(options.problem) : await say();
    if (answer.ok) return answer;
    options.report(answer.error);
    if (!answer.error.retryable || options.clock.monotonic() >= options.until()) return answer;
    await sleep(options.clock, Math.min(1_000, 10 * 2 ** attempt));
  }
}
