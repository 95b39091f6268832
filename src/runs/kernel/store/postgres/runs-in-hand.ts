import type { RunId } from "#core/values";

/** The runs that one transaction of this process has locked or is about to lock. */
export interface Hand {
  readonly runs: Set<RunId>;
  /** Whether another transaction of this process uses the run. A hint that saves futile queries: the locks decide. */
  isElsewhere(runId: RunId): boolean;
  /** Whether no other transaction of this process is running. */
  isAlone(): boolean;
  letGo(): void;
}

/** Concurrent transactions of one process search for work in the same order, so each skips the runs of the others. */
export class RunsInHand {
  readonly #hands = new Set<ReadonlySet<RunId>>();

  take(): Hand {
    const runs = new Set<RunId>();
    this.#hands.add(runs);
    return {
      runs,
      isElsewhere: (runId) => {
        for (const hand of this.#hands) if (hand !== runs && hand.has(runId)) return true;
        return false;
      },
      isAlone: () => this.#hands.size === 1,
      letGo: () => this.#hands.delete(runs),
    };
  }
}
