/** Time is passed in. A simulation controls it; in production it is `systemClock`. */
export interface Clock {
  /** Milliseconds since the epoch, as the wall clock says. May jump. */
  now(): number;
  /** Milliseconds that only grow, for durations. */
  monotonic(): number;
  /** What all processes of this machine count by. It cannot be set. */
  machine(): MachineTime;
  /** Calls back once after `ms`, unless the returned function is called first. Keeps the process alive while it waits. */
  after(ms: number, callback: () => void): () => void;
}

/** Milliseconds since an instant that all processes of this boot share. Stands still while the machine sleeps. */
export interface MachineTime {
  /** Which boot: times of two boots cannot be compared. Undefined where the system does not say. */
  readonly boot: string | undefined;
  readonly ms: number;
}

/** ISO 8601 in UTC with milliseconds: the only form in which time leaves the process. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The `YYYYMMDD` that ids carry. */
export function dayStamp(epochMs: number): string {
  return isoTime(epochMs).slice(0, 10).replaceAll("-", "");
}

/** Waits `ms`, or less if the signal aborts. Returns true when the time passed, false when it was aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const abort = () => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve(true);
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
