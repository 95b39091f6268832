import type { SharedStore } from "../../shared-store.ts";
import { sql } from "./sql.ts";
import { ask, type Tables } from "./tables.ts";

const prunings = { request_keys: "prune-request-keys", work_orders: "prune-work-orders", contexts: "prune-contexts" };
const statements = Object.entries(prunings).map(([kind, name]) => [kind, sql(name)] as const);

export function prune(tables: Tables): Pick<SharedStore, "prune"> {
  const { postgres, tenant } = tables;
  return {
    prune: (before, limit) =>
      ask(tables, async () => {
        const pruned = { request_keys: 0, work_orders: 0, contexts: 0 };
        for (const [kind, statement] of statements) {
          const [row] = await postgres.rows(statement, [tenant, before, limit]);
          pruned[kind as keyof typeof pruned] = row?.[0] as number;
        }
        return pruned;
      }),
  };
}
