import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** The one place that reads the machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

// One call to the kernel fills ids for hundreds of events; one call per id cost 1.1 µs each.
const pool = new Uint8Array(8192);
let used = pool.length;

/** The one place that reads the machine's random source. */
export const systemRandom: Random = {
  bytes: (count) => {
    if (count > pool.length) return randomFillSync(new Uint8Array(count));
    if (used + count > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + count);
    used += count;
    return bytes;
  },
};
