/** The pace that all processes of a workspace keep together. */
export interface RateLimits {
  readonly requests_per_minute: number;
  readonly tokens_per_minute: number;
  /** How many requests may start at once before the pace counts. */
  readonly burst: number;
  /** How long nothing starts once the pace was exceeded. */
  readonly cooldown_seconds: number;
}

export interface RateAmount {
  readonly requests: number;
  readonly tokens: number;
}

/** A process gives back what it has left and asks for a slice: at least this, and up to that. */
export interface RateAsk {
  readonly returned: RateAmount;
  readonly least: RateAmount;
  readonly most: RateAmount;
}

export type RateSlice = { readonly granted: RateAmount } | { readonly wait_ms: number };

/** What is there now: two buckets that refill by the minute, and until when nothing starts. */
export interface RateState {
  readonly requests: number;
  readonly tokens: number;
  readonly at_ms: number;
  readonly paused_until_ms: number;
}

export function fullBuckets(limits: RateLimits, now: number): RateState {
  return { requests: limits.burst, tokens: limits.tokens_per_minute, at_ms: now, paused_until_ms: 0 };
}

/**
 * Refills, takes back, and grants or says how long to wait. A clock that goes back refills nothing, and nothing waits longer
 * for a pause than a pause lasts.
 */
export function decideSlice(
  before: RateState,
  limits: RateLimits,
  { returned, least, most }: RateAsk,
  now: number,
): { readonly after: RateState; readonly slice: RateSlice } {
  const passed = Math.max(0, now - before.at_ms);
  const requests = Math.min(
    limits.burst,
    before.requests + returned.requests + (passed * limits.requests_per_minute) / 60_000,
  );
  const tokens = Math.min(
    limits.tokens_per_minute,
    before.tokens + returned.tokens + (passed * limits.tokens_per_minute) / 60_000,
  );
  const short = Math.max(
    ((least.requests - requests) * 60_000) / limits.requests_per_minute,
    ((least.tokens - tokens) * 60_000) / limits.tokens_per_minute,
  );
  const longest = now + limits.cooldown_seconds * 1000;
  const cooling = short > 0 ? longest : 0;
  const paused_until_ms = Math.max(Math.min(before.paused_until_ms, longest), cooling);
  const state = { requests, tokens, at_ms: now, paused_until_ms };
  const wait_ms = Math.ceil(Math.max(short, paused_until_ms - now));
  if (wait_ms > 0) return { after: state, slice: { wait_ms } };
  const granted = {
    requests: Math.min(Math.floor(requests), most.requests),
    tokens: Math.min(Math.floor(tokens), most.tokens),
  };
  return {
    after: { ...state, requests: requests - granted.requests, tokens: tokens - granted.tokens },
    slice: { granted },
  };
}
