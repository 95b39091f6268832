import type { Clock } from "./clock.ts";

/** The longest time that the event loop is held, plus the duration of one part of the work. */
const sliceMs = 5;

export interface TimeSliceOptions {
  readonly clock: Clock;
  /** Aborts when the caller of the work is gone. */
  readonly signal: AbortSignal;
  /** The total time of the work; waiting does not count. */
  readonly mostMs: number;
}

/**
 * Runs work whose cost an outsider controls, such as a caller's expression over a long record, in slices, and ends it
 * when its time is spent. The worker rests when a rest is due and stops when the time is over:
 *
 *     if (slice.isDue) await slice.rest();
 *     if (slice.isOver) break;
 *     slice.measure(() => part());
 */
export class TimeSlice {
  readonly #options: TimeSliceOptions;
  #held = sliceMs; // the first slice waits for its turn too: many may begin at once
  #spent = 0;

  constructor(options: TimeSliceOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#held >= sliceMs;
  }

  get isOver(): boolean {
    return this.#options.signal.aborted || this.#spent >= this.#options.mostMs;
  }

  measure<T>(work: () => T): T {
    const { clock } = this.#options;
    const began = clock.monotonic();
    try {
      return work();
    } finally {
      const took = clock.monotonic() - began;
      this.#held += took;
      this.#spent += took;
    }
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.#held = 0;
  }
}

// A process has one event loop and therefore one queue: however many workers there are, one slice runs in each turn of
// the loop.
let line: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  line = line.then(() => new Promise((resolve) => setImmediate(resolve)));
  return line;
}
