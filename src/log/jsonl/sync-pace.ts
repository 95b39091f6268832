import type { Clock } from "#core/values";

/**
 * A slower sync runs in the thread pool. The disk of the machine that this was measured on takes 0.18 ms; with the detour
 * through the pool, by which it is judged at first, that came to more than the 0.25 of before, so none ran here.
 */
const quickMs = 0.5;
/** The number of quick syncs in a row after which the disk counts as quick. */
const quickInARow = 16;
/**
 * Blocking syncs in one turn of the event loop: a caller that awaits one append after the other would never leave the
 * turn.
 */
const mostInATurn = 4;

/**
 * Decides where the next sync runs. The detour through the thread pool takes some 40 µs, half as long as the sync of a
 * quick disk itself. With a single caller and a quick disk the sync blocks this thread; on a slow disk, or with several
 * callers that have work to do meanwhile, never.
 */
export class SyncPace {
  readonly #clock: Pick<Clock, "monotonic">;
  #quick = 0;
  #inTurn = 0;
  #begun = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A sync begins. Returns whether it blocks this thread. */
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

  /** The sync has ended. */
  end(): void {
    this.#quick = this.#clock.monotonic() - this.#begun <= quickMs ? Math.min(this.#quick + 1, quickInARow) : 0;
  }
}
