import type { Clock } from "#core/values";

/** A sync that takes longer is waited for aside. */
const quickMs = 0.25;
/** So many must have been quick in a row. */
const quickInARow = 16;
/** So many are waited for here before the loop has its turn: whoever awaits one append after the other would never leave it. */
const mostInATurn = 4;

/**
 * Where the next sync is waited for. The way to the thread pool and back takes some 40 µs, half as long as the sync of a quick
 * disk itself. Where a single caller waits and the disk has been quick, it is waited for on the spot; on a slow disk, or with
 * company that has something to do meanwhile, never.
 */
export class SyncPace {
  readonly #clock: Pick<Clock, "monotonic">;
  #quick = 0;
  #inTurn = 0;
  #begun = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A sync begins. Answers whether it is waited for here. */
  begin(callers: number): boolean {
    this.#begun = this.#clock.monotonic();
    if (callers !== 1 || this.#quick < quickInARow || this.#inTurn === mostInATurn) return false;
    if (this.#inTurn === 0)
      setImmediate(() => {
        this.#inTurn = 0;
      });
    this.#inTurn += 1;
    return true;
  }

  /** It is over. */
  end(): void {
    this.#quick = this.#clock.monotonic() - this.#begun <= quickMs ? Math.min(this.#quick + 1, quickInARow) : 0;
  }
}
