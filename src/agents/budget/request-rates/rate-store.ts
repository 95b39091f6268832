import type { Answer } from "#core/values";
import type { RateAsk, RateLimits, RateSlice } from "./rate-bucket.ts";

/** What all processes together may start in a minute. */
export interface RateStore {
  /** A slice of what all processes together may start in a minute, or how long to wait for it. */
  takeRate(bucket_id: string, limits: RateLimits, ask: RateAsk): Answer<RateSlice>;
}
