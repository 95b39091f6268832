import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, sleep } from "../../values/clock.ts";
import { holdLiveness, type LivenessLock } from "./liveness.ts";

/** Takes the lock as soon as it is free, in this process and all others; undefined after the time limit. */
export async function waitForLiveness(
  file: string,
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
): Promise<LivenessLock | undefined> {
  const deadline = clock.monotonic() + waitMs;
  for (;;) {
    mkdirSync(dirname(file), { recursive: true });
    const lock = holdLiveness(file);
    if (lock || clock.monotonic() >= deadline) return lock;
    await sleep(clock, 5);
  }
}
