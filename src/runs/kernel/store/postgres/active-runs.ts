import type { RunId } from "#core/values";

/** The runs that one transaction of this process has locked or is about to lock. */
export interface TransactionRuns {
  readonly runs: Set<RunId>;
  /** Whether another transaction of this process uses the run. A hint that saves futile queries: the locks decide. */
  isUsedElsewhere(runId: RunId): boolean;
  /** Whether no other transaction of this process is running. */
  isAlone(): boolean;
  end(): void;
}

/** Concurrent transactions of one process search for work in the same order, so each skips the runs of the others. */
export class ActiveRuns {
  readonly #transactions = new Set<ReadonlySet<RunId>>();

  begin(): TransactionRuns {
    const runs = new Set<RunId>();
    this.#transactions.add(runs);
    return {
      runs,
      isUsedElsewhere: (runId) => {
        for (const other of this.#transactions) if (other !== runs && other.has(runId)) return true;
        return false;
      },
      isAlone: () => this.#transactions.size === 1,
      end: () => this.#transactions.delete(runs),
    };
  }
}
