import { domainError, err, messageOf, ok, type Result } from "#base";
import type { BudgetShare, OpenShare, PoolLimits } from "../shared-store.ts";
import type { Sqlite } from "./connection.ts";

export interface BudgetShares {
  take(pool: PoolLimits, share: BudgetShare): Result<void>;
  settle(pool_id: string, share: BudgetShare): Result<void>;
  openShares(session_id: string): Result<readonly OpenShare[]>;
}

interface Sum {
  readonly tokens: number;
  readonly micro_usd: number;
}

/** Shares and the sum of each pool, changed together under the write lock: two processes cannot both take the last of it. */
export function budgetShares(database: Sqlite, tenant: string): BudgetShares {
  const readSum = database.prepare<[string, string], Sum>(
    "SELECT tokens, micro_usd FROM budget_pools WHERE tenant_id = ? AND pool_id = ?",
  );
  const addToSum = database.prepare(
    `INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenant_id, pool_id) DO UPDATE SET tokens = tokens + excluded.tokens, micro_usd = micro_usd + excluded.micro_usd`,
  );
  const insertShare = database.prepare(
    "INSERT INTO budget_shares (tenant_id, pool_id, session_id, work_order_id, tokens, micro_usd) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const readShare = database.prepare<[string, string, string, string], Sum>(
    "SELECT tokens, micro_usd FROM budget_shares WHERE tenant_id = ? AND pool_id = ? AND session_id = ? AND work_order_id = ? AND settled = 0",
  );
  const settleShare = database.prepare(
    "UPDATE budget_shares SET tokens = ?, micro_usd = ?, settled = 1 WHERE tenant_id = ? AND pool_id = ? AND session_id = ? AND work_order_id = ?",
  );

  const take = database.transaction((pool: PoolLimits, share: BudgetShare): Result<void> => {
    const sum = readSum.get(tenant, pool.pool_id) ?? { tokens: 0, micro_usd: 0 };
    const money = micro(share.usd);
    if (pool.token_limit !== null && sum.tokens + share.tokens > pool.token_limit)
      return err(
        exhausted(
          pool,
          `${pool.token_limit - sum.tokens} of ${pool.token_limit} tokens are left, the order asks for ${share.tokens}`,
        ),
      );
    if (pool.usd_limit !== null && sum.micro_usd + money > micro(pool.usd_limit))
      return err(
        exhausted(
          pool,
          `$${((micro(pool.usd_limit) - sum.micro_usd) / 1e6).toFixed(2)} of $${pool.usd_limit} are left, the order asks for $${share.usd}`,
        ),
      );
    insertShare.run(tenant, pool.pool_id, share.session_id, share.work_order_id, share.tokens, money);
    addToSum.run(tenant, pool.pool_id, share.tokens, money);
    return ok(undefined);
  });
  const settle = database.transaction((pool_id: string, share: BudgetShare): Result<void> => {
    const taken = readShare.get(tenant, pool_id, share.session_id, share.work_order_id);
    if (!taken) return ok(undefined);
    const money = micro(share.usd);
    settleShare.run(share.tokens, money, tenant, pool_id, share.session_id, share.work_order_id);
    addToSum.run(tenant, pool_id, share.tokens - taken.tokens, money - taken.micro_usd);
    return ok(undefined);
  });
  const readOpen = database.prepare<[string, string], OpenShare>(
    "SELECT pool_id, work_order_id FROM budget_shares WHERE tenant_id = ? AND session_id = ? AND settled = 0",
  );
  const guarded = <T>(work: () => Result<T>): Result<T> => {
    try {
      return work();
    } catch (thrown) {
      return err(
        domainError("STORE_UNAVAILABLE", `the budget could not be kept: ${messageOf(thrown)}`, { cause: thrown }),
      );
    }
  };
  return {
    take: (pool, share) => guarded(() => take.immediate(pool, share)),
    settle: (pool_id, share) => guarded(() => settle.immediate(pool_id, share)),
    openShares: (session_id) => guarded(() => ok(readOpen.all(tenant, session_id))),
  };
}

function micro(usd: number): number {
  return Math.ceil(usd * 1_000_000);
}

function exhausted(pool: PoolLimits, message: string) {
  return domainError("BUDGET_EXHAUSTED", `the budget of ${pool.pool_id} does not suffice: ${message}`, {
    details: { pool_id: pool.pool_id },
  });
}
