import type { RunId } from "#core/values";

/** The runs that one transaction of this process is at, or is about to lock. */
export interface Hand {
  readonly runs: Set<RunId>;
  /** Whether another transaction of this process is at it. Only a hint, which spares looks in vain: the locks decide. */
  isElsewhere(runId: RunId): boolean;
  /** No other is under way. */
  isAlone(): boolean;
  letGo(): void;
}

/** Transactions of one process that are under way at once look for work at the same place: each passes by what the others have. */
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
