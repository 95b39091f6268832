import type { Clock } from "#core/values";

/** The flow's timeout combined with the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True after the timeout; false when the caller aborted. */
  readonly timedOut: boolean;
  /** Aborts now, for a reason of the flow itself. */
  abort(): void;
  clear(): void;
}

export function startDeadline(clock: Clock, seconds: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timedOut = false;
  const cancelTimer = clock.after(seconds * 1000, () => {
    timedOut = true;
    controller.abort();
  });
  const follow = () => controller.abort();
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    abort: follow,
    clear() {
      cancelTimer();
      outer?.removeEventListener("abort", follow);
    },
  };
}
