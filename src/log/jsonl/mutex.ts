import type { Clock } from "#core/values";

/** A mutex within one process. Waiters acquire it in order of arrival. */
export class Mutex {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #isTaken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False when it was not free in time; otherwise the caller must `release` it. */
  acquire(limitMs: number): Promise<boolean> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const begin = () => {
        cancel();
        resolve(true);
      };
      const cancel = this.#clock.after(limitMs, () => {
        this.#waiting.delete(begin);
        resolve(false);
      });
      this.#waiting.add(begin);
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#isTaken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
