import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { BudgetShare, PoolLimits } from "./share-store.ts";

/** What is taken of a pool. Money is counted in millionths of a dollar. */
export interface PoolSum {
  readonly tokens: number;
  readonly micro_usd: number;
}

/** What a share takes, and by how much the pool's sum changes with it. */
export interface TakenShare {
  readonly share: PoolSum;
  readonly change: PoolSum;
}

/** Whether a pool has this share left. What the order took of it before is given back first. */
export function decideShare(
  pool: PoolLimits,
  wanted: BudgetShare,
  state: { readonly sum: PoolSum; readonly earlier: PoolSum | undefined },
): Result<TakenShare> {
  const before = state.earlier ?? { tokens: 0, micro_usd: 0 };
  const sum = { tokens: state.sum.tokens - before.tokens, micro_usd: state.sum.micro_usd - before.micro_usd };
  const share = { tokens: wanted.tokens, micro_usd: microUsd(wanted.usd) };
  if (pool.token_limit !== null && sum.tokens + share.tokens > pool.token_limit)
    return err(
      exhausted(
        pool,
        `${pool.token_limit - sum.tokens} of ${pool.token_limit} tokens are left, the order asks for ${share.tokens}`,
      ),
    );
  if (pool.usd_limit !== null && sum.micro_usd + share.micro_usd > microUsd(pool.usd_limit))
    return err(
      exhausted(
        pool,
        `$${((microUsd(pool.usd_limit) - sum.micro_usd) / 1e6).toFixed(2)} of $${pool.usd_limit} are left, the order asks for $${wanted.usd}`,
      ),
    );
  return ok({
    share,
    change: { tokens: share.tokens - before.tokens, micro_usd: share.micro_usd - before.micro_usd },
  });
}

export function microUsd(usd: number): number {
  return Math.ceil(usd * 1_000_000);
}

function exhausted(pool: PoolLimits, message: string): DomainError {
  return domainError("BUDGET_EXHAUSTED", `the budget of ${pool.pool_id} does not suffice: ${message}`, {
    details: { pool_id: pool.pool_id },
  });
}
