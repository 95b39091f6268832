import type { Clock } from "./clock.ts";

/** The loop is held for no longer than this, and what one piece of the work takes. */
const sliceMs = 5;

export interface TimeSliceOptions {
  readonly clock: Clock;
  /** Aborts when nobody waits for the work any more. */
  readonly signal: AbortSignal;
  /** How long the work may take in all; what it waits for does not count. */
  readonly mostMs: number;
}

/**
 * Work whose cost somebody else chose, such as an expression of theirs over a long record: done in slices, and ended when
 * its time is spent. Whoever does it rests when that is due, and stops when it is over:
 *
 *     if (pace.isDue) await pace.rest();
 *     if (pace.isOver) break;
 *     pace.measure(() => piece());
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

// A process has one loop, so it has one line: however many are at such work, one slice of it is done in a turn of the loop.
let line: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  line = line.then(() => new Promise((resolve) => setImmediate(resolve)));
  return line;
}
