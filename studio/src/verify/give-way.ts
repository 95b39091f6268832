/** How long a page counts as moving after the last `moved` message. */
const movedMs = 250;
/** Pause between two slices while the page moves: on two processors the worker would otherwise take one from the page's frames. */
const waitMs = 40;

export interface Time {
  now(): number;
  wait(ms: number): Promise<void>;
}

/** Slows the worker down while the page scrolls: it works in small slices with pauses between them, and still finishes. */
export class GiveWay {
  readonly #time: Time;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(time: Time) {
    this.#time = time;
  }

  moved(): void {
    this.#movedAt = this.#time.now();
  }

  /** Yields between two slices of work, so that messages to the worker are received. True: the next slice should be small. */
  async turn(): Promise<boolean> {
    const isMoving = this.#time.now() - this.#movedAt < movedMs;
    await this.#time.wait(isMoving ? waitMs : 0);
    return isMoving;
  }
}
