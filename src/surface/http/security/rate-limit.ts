import type { Clock } from "#core/values";

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const maxBuckets = 10_000;

/** A token bucket for each caller. Answers the seconds to wait, or 0. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  take(who: string): number {
    const { perSecond, burst } = this.#limit;
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(who);
    const bucket = known ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (!known) this.#remember(who, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return (1 - bucket.tokens) / perSecond;
  }

  /** Drops the oldest bucket above the limit: by then it is most likely full, which equals none. */
  #remember(who: string, bucket: Bucket): void {
    if (this.#buckets.size >= maxBuckets) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(who, bucket);
  }
}
