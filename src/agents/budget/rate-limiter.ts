import { domainError } from "#core/errors";
import { type Answer, type Clock, err, ok, type Result, sleep } from "#core/values";
import type { RateAmount, RateAsk, RateLimits, RateSlice } from "./request-rates/rate-bucket.ts";

/** The longest wait for admission. A caller that would wait longer gets an error that says when to retry. */
const longestWaitMs = 60_000;
/** A slice that is unused for this long is returned: a hoarded slice would allow a burst above the limit later. */
const sliceMs = 1_000;
/** The largest part of the bucket that one slice may take, so that other processes get theirs. */
const largestShare = 0.1;

/** Limits the rate of model calls. */
export interface RateLimiter {
  /** Resolves when the call may start; `RATE_LIMITED` when that is too far away. */
  admit(tokens: number, signal?: AbortSignal): Promise<Result<void>>;
}

/** Takes a slice from the buckets that all processes of a workspace share. */
export type TakeRate = (limits: RateLimits, ask: RateAsk) => Answer<RateSlice>;

/**
 * The limit holds for all processes together, but few calls make a trip to the store: a process takes a slice, twice as
 * large each time it used up the last one, and returns the part that it did not use in time.
 */
export function createRateLimiter(
  limits: RateLimits,
  clock: Clock,
  take: TakeRate,
  /** Called for each call that has to wait, or is refused. */
  onReached: () => void = () => undefined,
): RateLimiter {
  let slice: RateAmount = { requests: 0, tokens: 0 };
  let goodUntil = Number.NEGATIVE_INFINITY;
  let wanted = 1;
  /** Callers that need a new slice are served one after the other, in order of arrival. */
  let last: Promise<void> = Promise.resolve();

  const spend = (tokens: number): boolean => {
    if (clock.monotonic() >= goodUntil || slice.requests < 1 || slice.tokens < tokens) return false;
    slice = { requests: slice.requests - 1, tokens: slice.tokens - tokens };
    return true;
  };

  const exchange = async (tokens: number): Promise<Result<number>> => {
    wanted = clock.monotonic() < goodUntil ? Math.min(wanted * 2, Math.max(1, limits.burst * largestShare)) : 1;
    const count = Math.floor(wanted);
    const returned = slice;
    slice = { requests: 0, tokens: 0 };
    const most = Math.max(tokens, Math.floor(Math.min(tokens * count, limits.tokens_per_minute * largestShare)));
    const taken = await take(limits, {
      returned,
      least: { requests: 1, tokens },
      most: { requests: count, tokens: most },
    });
    if (!taken.ok) return taken;
    if ("wait_ms" in taken.value) return ok(taken.value.wait_ms);
    slice = taken.value.granted;
    goodUntil = clock.monotonic() + sliceMs;
    return ok(0);
  };

  return {
    async admit(tokens, signal) {
      if (tokens > limits.tokens_per_minute)
        return err(
          limited(
            `the call needs ${tokens} tokens, ${limits.tokens_per_minute} a minute are allowed (rate_limits.tokens_per_minute)`,
            undefined,
          ),
        );
      if (spend(tokens)) return ok(undefined);
      const came = clock.monotonic();
      const turn = last;
      let leave = () => {};
      const mine = new Promise<void>((resolve) => {
        leave = resolve;
      });
      last = turn.then(() => mine);
      let hasWaited = false;
      try {
        if (!(await cameUp(turn, signal))) return err(canceled());
        for (;;) {
          if (spend(tokens)) return ok(undefined);
          const wait = await exchange(tokens);
          if (!wait.ok) return wait;
          if (wait.value === 0) continue;
          if (!hasWaited) onReached();
          hasWaited = true;
          if (clock.monotonic() - came + wait.value > longestWaitMs)
            return err(
              limited(
                `the pace of model calls in writ.yaml is reached: ${limits.requests_per_minute} a minute (rate_limits.requests_per_minute) and ${limits.tokens_per_minute} tokens a minute (rate_limits.tokens_per_minute), for all processes of the workspace; it lifts in ${Math.ceil(wait.value / 1000)} s`,
                wait.value,
              ),
            );
          if (!(await sleep(clock, wait.value, signal))) return err(canceled());
        }
      } finally {
        leave();
      }
    },
  };
}

/** True when the caller's turn came before its signal aborted. */
async function cameUp(turn: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return false;
  let abort = () => {};
  const aborted = new Promise<boolean>((resolve) => {
    abort = () => resolve(false);
  });
  signal?.addEventListener("abort", abort, { once: true });
  const came = await Promise.race([turn.then(() => true), aborted]);
  signal?.removeEventListener("abort", abort);
  return came;
}

function canceled() {
  return domainError("CANCELED", "canceled before the model was asked");
}

function limited(message: string, retryAfterMs: number | undefined) {
  return domainError("RATE_LIMITED", message, {
    retryable: retryAfterMs !== undefined,
    details: retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs },
  });
}
