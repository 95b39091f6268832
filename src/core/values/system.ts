import { randomFillSync } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** The one place that reads the machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  machine() {
    boot ??= { id: readBoot() };
    const [seconds, nanoseconds] = process.hrtime();
    return { boot: boot.id, ms: seconds * 1_000 + nanoseconds / 1e6 };
  },
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

let boot: { readonly id: string | undefined } | undefined;

/** A container may have a time of its own (a time namespace) on the boot of its host: both together name what is counted from. */
function readBoot(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${timeNamespace()}`;
  } catch (thrown) {
    void thrown; // not Linux, or a sandbox without /proc: then no boot is known
    return undefined;
  }
}

function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch (thrown) {
    void thrown; // a system older than time namespaces: there is one
    return "";
  }
}

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
