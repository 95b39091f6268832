import { type Clock, domainError, err, ok, type Result, sleep } from "#base";

export interface RateLimits {
  readonly requests_per_minute: number;
  readonly tokens_per_minute: number;
  /** How many requests may start at once before the pace counts. */
  readonly burst: number;
  /** How long nothing starts once the pace was exceeded. */
  readonly cooldown_seconds: number;
}

/** Longer than this nobody waits: the caller is told when to come back. */
const longestWaitMs = 60_000;

/** Keeps the pace of a provider: two buckets that refill by the minute, one of requests and one of tokens. */
export interface RateLimiter {
  /** Answers when the call may start, or `RATE_LIMITED` when that is too far away. */
  admit(tokens: number, signal?: AbortSignal): Promise<Result<void>>;
}

export function createRateLimiter(limits: RateLimits, clock: Clock): RateLimiter {
  const requests = new Bucket(limits.burst, limits.requests_per_minute, clock);
  const tokens = new Bucket(limits.tokens_per_minute, limits.tokens_per_minute, clock);
  let pausedUntil = Number.NEGATIVE_INFINITY;

  return {
    async admit(wanted, signal) {
      if (wanted > limits.tokens_per_minute)
        return err(
          limited(
            `the call needs ${wanted} tokens, ${limits.tokens_per_minute} a minute are allowed (rate_limits.tokens_per_minute)`,
            undefined,
          ),
        );
      for (;;) {
        const now = clock.monotonic();
        const short = Math.max(requests.shortMs(1), tokens.shortMs(wanted));
        if (short > 0) pausedUntil = Math.max(pausedUntil, now + limits.cooldown_seconds * 1000);
        const wait = Math.ceil(Math.max(short, pausedUntil - now));
        if (wait <= 0) {
          requests.take(1);
          tokens.take(wanted);
          return ok(undefined);
        }
        if (wait > longestWaitMs)
          return err(
            limited(`too many calls for the pace of rate_limits; ${Math.ceil(wait / 1000)} s would have to pass`, wait),
          );
        if (!(await sleep(clock, wait, signal)))
          return err(domainError("CANCELED", "canceled while it waited for the rate limit"));
      }
    },
  };
}

class Bucket {
  #level: number;
  #at: number;
  readonly #capacity: number;
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(capacity: number, perMinute: number, clock: Clock) {
    this.#capacity = capacity;
    this.#perMinute = perMinute;
    this.#clock = clock;
    this.#level = capacity;
    this.#at = clock.monotonic();
  }

  /** How long until `amount` is there. */
  shortMs(amount: number): number {
    const now = this.#clock.monotonic();
    this.#level = Math.min(this.#capacity, this.#level + ((now - this.#at) * this.#perMinute) / 60_000);
    this.#at = now;
    return amount <= this.#level ? 0 : ((amount - this.#level) * 60_000) / this.#perMinute;
  }

  take(amount: number): void {
    this.#level -= amount;
  }
}

function limited(message: string, retryAfterMs: number | undefined) {
  return domainError("RATE_LIMITED", message, {
    retryable: retryAfterMs !== undefined,
    details: retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs },
  });
}
