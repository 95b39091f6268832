import type { Result } from "#base";

/** What several processes of one workspace hold in common. Rebuilt from the events if it is lost. */
export interface SharedStore {
  /** The first of `count` numbers of that day (`YYYYMMDD`) that no other process will get. */
  takeWorkOrderNumbers(day: string, count: number): Result<number>;
  /** An order takes its share of a pool, or is refused: the sum of all shares never exceeds the limits. */
  takeBudgetShare(pool: PoolLimits, share: BudgetShare): Result<void>;
  /** The share becomes what was spent of it. A share that is settled already, or was never taken, stays as it is. */
  settleBudgetShare(pool_id: string, share: BudgetShare): Result<void>;
  close(): void;
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
