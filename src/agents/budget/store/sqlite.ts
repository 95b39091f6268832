import type { InsertRows, Sqlite } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { decideShare, microUsd, type PoolSum } from "./decide-share.ts";
import type { BudgetShare, OpenShare, PoolLimits, ShareStore, SpentShare } from "./share-store.ts";

/** Shares and the sum of each pool, changed together under the write lock: two processes cannot both take the last of it. */
export function sqliteBudgetShares(database: Sqlite, tenant: string): ShareStore {
  const readSum = database.prepare<[string, string], PoolSum>(
    "SELECT tokens, micro_usd FROM budget_pools WHERE tenant_id = ? AND pool_id = ?",
  );
  const addToSum = database.prepare(
    `INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenant_id, pool_id) DO UPDATE SET tokens = tokens + excluded.tokens, micro_usd = micro_usd + excluded.micro_usd`,
  );
  const insertShare = database.prepare(
    "INSERT INTO budget_shares (tenant_id, pool_id, session_id, work_order_id, tokens, micro_usd) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const readShare = database.prepare<[string, string, string, string], PoolSum>(
    "SELECT tokens, micro_usd FROM budget_shares WHERE tenant_id = ? AND pool_id = ? AND session_id = ? AND work_order_id = ? AND settled = 0",
  );
  const settleShare = database.prepare(
    "UPDATE budget_shares SET tokens = ?, micro_usd = ?, settled = 1 WHERE tenant_id = ? AND pool_id = ? AND session_id = ? AND work_order_id = ?",
  );

  const readEarlier = database.prepare<[string, string, string], PoolSum & { readonly pool_id: string }>(
    "SELECT pool_id, tokens, micro_usd FROM budget_shares WHERE tenant_id = ? AND session_id = ? AND work_order_id = ?",
  );
  const takeAgain = database.prepare(
    "UPDATE budget_shares SET tokens = ?, micro_usd = ?, settled = 0 WHERE tenant_id = ? AND pool_id = ? AND session_id = ? AND work_order_id = ?",
  );

  const take = database.transaction((asked: PoolLimits, share: BudgetShare): Result<string> => {
    const earlier = readEarlier.get(tenant, share.session_id, share.work_order_id);
    const pool = { ...asked, pool_id: earlier?.pool_id ?? asked.pool_id };
    const sum = readSum.get(tenant, pool.pool_id) ?? { tokens: 0, micro_usd: 0 };
    const decided = decideShare(pool, share, { sum, earlier });
    if (!decided.ok) return decided;
    const { share: taken, change } = decided.value;
    if (earlier)
      takeAgain.run(taken.tokens, taken.micro_usd, tenant, pool.pool_id, share.session_id, share.work_order_id);
    else insertShare.run(tenant, pool.pool_id, share.session_id, share.work_order_id, taken.tokens, taken.micro_usd);
    addToSum.run(tenant, pool.pool_id, change.tokens, change.micro_usd);
    return ok(pool.pool_id);
  });
  const settle = database.transaction((pool_id: string, share: BudgetShare): Result<void> => {
    const taken = readShare.get(tenant, pool_id, share.session_id, share.work_order_id);
    if (!taken) return ok(undefined);
    const money = microUsd(share.usd);
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
    takeBudgetShare: (pool, share) => guarded(() => take.immediate(pool, share)),
    settleBudgetShare: (pool_id, share) => guarded(() => settle.immediate(pool_id, share)),
    openBudgetShares: (session_id) => guarded(() => ok(readOpen.all(tenant, session_id))),
  };
}

/** Makes the tables anew from what the events tell; a pool is the sum of its shares. */
export function rebuildBudgetShares(database: Sqlite, insert: InsertRows, shares: readonly SpentShare[]): void {
  insert(
    "budget_shares",
    "pool_id session_id work_order_id tokens micro_usd settled",
    shares.map((share) => ({ ...share, micro_usd: microUsd(share.usd), settled: 1 })),
  );
  database.exec(
    `INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd)
     SELECT tenant_id, pool_id, sum(tokens), sum(micro_usd) FROM budget_shares GROUP BY tenant_id, pool_id`,
  );
}
