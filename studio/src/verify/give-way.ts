/** How long a page counts as moved after the last sign of it. */
const movedMs = 250;
/** What the proof waits between two slices meanwhile: on two processors it would else take one from the page's frames. */
const waitMs = 40;

export interface Time {
  now(): number;
  wait(ms: number): Promise<void>;
}

/** A worker that gives way: while somebody scrolls it works in slices with waits between, and so still comes to its end. */
export class GiveWay {
  readonly #time: Time;
  #movedAt = Number.NEGATIVE_INFINITY;

  constructor(time: Time) {
    this.#time = time;
  }

  moved(): void {
    this.#movedAt = this.#time.now();
  }

  /** Between two slices of work: what was said to the worker is heard before it goes on. Answers whether to do little. */
  async turn(): Promise<boolean> {
    const isMoving = this.#time.now() - this.#movedAt < movedMs;
    await this.#time.wait(isMoving ? waitMs : 0);
    return isMoving;
  }
}
