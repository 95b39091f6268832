import type { Clock } from "#core/values";

/** The flow's own end of time, joined with the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time ran out, as opposed to the caller giving up. */
  readonly timedOut: boolean;
  /** Ends it now, for a reason of the flow's own. */
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
