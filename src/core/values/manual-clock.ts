import type { Clock } from "./clock.ts";

/** A clock that moves only when `advance` or `jump` is called. */
export interface ManualClock extends Clock {
  /** Moves time on and calls the timers that became due, in order of time, then of registration. */
  advance(ms: number): void;
  /** Sets the wall clock without moving monotonic time: a clock that jumps. */
  jump(epochMs: number): void;
  /** Begins another boot: monotonic time starts again, the wall clock goes on. */
  reboot(): void;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

export function manualClock(startEpochMs: number = Date.UTC(2026, 10, 15)): ManualClock {
  let monotonic = 0;
  let offset = startEpochMs;
  let order = 0;
  let boots = 1;
  let booted = 0;
  const timers: Timer[] = [];
  return {
    now: () => offset + monotonic,
    monotonic: () => monotonic,
    machine: () => ({ boot: `boot ${boots}`, ms: monotonic - booted }),
    after(ms, callback) {
      const timer = { due: monotonic + Math.max(0, ms), order: order++, callback };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    advance(ms) {
      const end = monotonic + ms;
      for (;;) {
        const next = earliest(timers);
        if (!next || next.due > end) break;
        timers.splice(timers.indexOf(next), 1);
        monotonic = next.due;
        next.callback();
      }
      monotonic = end;
    },
    jump(epochMs) {
      offset = epochMs - monotonic;
    },
    reboot() {
      boots += 1;
      booted = monotonic;
    },
  };
}

function earliest(timers: readonly Timer[]): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers)
    if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer;
  return first;
}
