import type { Answer } from "#core/values";

/** Shares of a pool of tokens and money. */
export interface ShareStore {
  /**
   * An order takes its share of a pool, or is refused: the sum of all shares never exceeds the limits. A resumed session
   * takes its share again, in place of the one that was settled when it stopped. Returns the id of the pool that the order
   * first took its share from.
   */
  takeBudgetShare(pool: PoolLimits, share: BudgetShare): Answer<string>;
  /** Reduces the share to the amount that was spent. A share that is settled already, or was never taken, stays as it is. */
  settleBudgetShare(pool_id: string, share: BudgetShare): Answer<void>;
  /** Shares of a session that are not settled: its process died, or it is still at work. */
  openBudgetShares(session_id: string): Answer<readonly OpenShare[]>;
}

export interface PoolLimits {
  /** Names the pool and, where it is renewed, its period: `workspace/2026-11-15`. */
  readonly pool_id: string;
  readonly token_limit: number | null;
  readonly usd_limit: number | null;
}

export interface BudgetShare {
  readonly session_id: string;
  readonly work_order_id: string;
  readonly tokens: number;
  readonly usd: number;
}

export interface OpenShare {
  readonly pool_id: string;
  readonly work_order_id: string;
}

/** The amount that an order spent of a pool, by its events. */
export interface SpentShare extends BudgetShare {
  readonly pool_id: string;
}
