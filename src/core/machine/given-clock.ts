import type { Clock } from "../values/clock.ts";

/** A clock that a program hands in. */
export interface GivenClock {
  now(): number;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** What several processes count by; without it this one counts by its own. */
  machine?: Clock["machine"];
}

export function completeClock(given: GivenClock): Clock {
  return { machine: () => ({ boot: undefined, ms: given.monotonic() }), ...given };
}
