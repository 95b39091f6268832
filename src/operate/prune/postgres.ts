import { ask, statementsBeside, type Tables } from "#core/database";
import { isoTime } from "#core/values";
import type { PruneStore } from "./prune-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const prunings = { request_keys: "prune-request-keys", work_orders: "prune-work-orders", contexts: "prune-contexts" };
/** By their own limit, whatever the caller's. */
const expired = sql("prune-sealed-values");
const statements = Object.entries(prunings).map(([kind, name]) => [kind, sql(name)] as const);

export function postgresPrune(tables: Tables): PruneStore {
  const { postgres, tenant, clock } = tables;
  return {
    prune: (before, limit) =>
      ask(tables, async () => {
        const pruned = { request_keys: 0, work_orders: 0, contexts: 0, sealed_values: 0 };
        for (const [kind, statement] of statements) {
          const [row] = await postgres.rows(statement, [tenant, before, limit]);
          pruned[kind as keyof typeof pruned] = row?.[0] as number;
        }
        const [gone] = await postgres.rows(expired, [tenant, isoTime(clock.now()), limit]);
        pruned.sealed_values = gone?.[0] as number;
        return pruned;
      }),
  };
}
