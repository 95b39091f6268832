import { type Clock, systemClock } from "#core/values";

/** The machine's clock, on which things can be told to take long: a slow machine without a slow test. */
export interface DraggingClock extends Clock {
  /** From now on every look finds so much time gone and nothing else counts; 0: it goes as the machine's does. */
  drag(ms: number): void;
}

export function draggingClock(): DraggingClock {
  let each = 0;
  let ahead = 0;
  let stands = 0;
  return {
    ...systemClock,
    monotonic() {
      if (each === 0) return systemClock.monotonic() + ahead;
      stands += each;
      return stands;
    },
    drag(ms) {
      if (each === 0) stands = systemClock.monotonic() + ahead;
      ahead = stands - systemClock.monotonic();
      each = ms;
    },
  };
}
