import { type Clock, isoTime, ok } from "#core/values";
import type { WritConfig } from "#workspace";
import type { BudgetPool } from "./pool.ts";
import type { ShareStore } from "./store/share-store.ts";

/** The money that all processes of a workspace share, kept in the shared store. Without a limit nothing is kept. */
export function workspacePool(store: ShareStore, config: WritConfig, clock: Clock): BudgetPool {
  const { token_limit, usd_limit, period } = config.workspace_budget;
  if (token_limit === null && usd_limit === null) return { take: () => ok(undefined), settle: () => ok(undefined) };
  // A share is settled in the pool that it was taken from, also when its session runs past midnight.
  const takenFrom = new Map<string, string>();
  return {
    async take(order, amount) {
      const pool_id = poolAt(period, clock.now());
      const taken = await store.takeBudgetShare(
        { pool_id, token_limit, usd_limit },
        { ...order, tokens: amount.tokens, usd: amount.usd },
      );
      if (!taken.ok) return taken;
      takenFrom.set(order.session_id, taken.value);
      return ok(undefined);
    },
    settle(order, spent) {
      const pool_id = takenFrom.get(order.session_id);
      takenFrom.delete(order.session_id);
      return pool_id === undefined ? ok(undefined) : store.settleBudgetShare(pool_id, { ...order, ...spent });
    },
  };
}

/** The pool of the period that a moment lies in. */
export function poolAt(period: WritConfig["workspace_budget"]["period"], now: number): string {
  switch (period) {
    case "ever":
      return "workspace";
    case "month":
      return `workspace/${isoTime(now).slice(0, 7)}`;
    case "day":
      return `workspace/${isoTime(now).slice(0, 10)}`;
  }
}
