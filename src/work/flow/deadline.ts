import type { Clock } from "#core/values";

/** The flow's timeout combined with the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True after the timeout; false when the caller aborted. */
  readonly timedOut: boolean;
  /** The place of the limit that holds. */
  readonly clause: string;
  /** Ends the flow after so many seconds from its start, unless its deadline is earlier already. */
  narrow(seconds: number, clause: string): void;
  /** Aborts now, for a reason of the flow itself. */
  abort(): void;
  clear(): void;
}

/** `spentMs` is what an order that goes on has used of its time before it stopped. */
export function startDeadline(clock: Clock, seconds: number, outer: AbortSignal | undefined, spentMs = 0): Deadline {
  const controller = new AbortController();
  const began = clock.monotonic() - spentMs;
  let limit = seconds;
  let clause = "limits.flow_timeout_seconds in writ.yaml";
  let timedOut = false;
  const arm = () =>
    clock.after(Math.max(0, limit * 1000 - (clock.monotonic() - began)), () => {
      timedOut = true;
      controller.abort();
    });
  let cancelTimer = arm();
  const follow = () => controller.abort();
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    get clause() {
      return clause;
    },
    narrow(least, place) {
      if (least >= limit || timedOut) return;
      limit = least;
      clause = place;
      cancelTimer();
      cancelTimer = arm();
    },
    abort: follow,
    clear() {
      cancelTimer();
      outer?.removeEventListener("abort", follow);
    },
  };
}
