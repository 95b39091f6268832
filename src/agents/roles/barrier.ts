export interface Arrival {
  /** Settled once it has arrived or left. */
  readonly counted: Promise<void>;
  arrive(): Promise<void>;
  leave(): void;
}

/** Participants that arrive wait until the expected number of them has arrived or left. */
export class Barrier {
  #missing: number;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor(expected: number) {
    this.#missing = expected;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    if (expected === 0) this.#open();
  }

  /** One participant: it counts once, whether it arrives, leaves, or does both. */
  arrival(): Arrival {
    let isCounted = false;
    let tell: () => void = () => undefined;
    const counted = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const count = () => {
      if (isCounted) return;
      isCounted = true;
      tell();
      this.#missing -= 1;
      if (this.#missing <= 0) this.#open();
    };
    return {
      counted,
      arrive: () => {
        count();
        return this.#opened;
      },
      leave: count,
    };
  }
}
