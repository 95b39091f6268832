import { change, statementsBeside, type Tables } from "#core/database";
import { isoTime, ok } from "#core/values";
import type { GrantUseStore } from "./grant-use-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const lock = sql("lock-grant");
const taken = sql("count-grant-uses");
const take = sql("take-grant-use");

export function postgresGrantUses(tables: Tables): GrantUseStore {
  const { tenant, clock } = tables;
  return {
    takeGrantUses: (work_order_id, links) =>
      change<string | null>(tables, async (transaction) => {
        // In one order everywhere, so that two orders with the same links never wait for each other.
        const sorted = links.toSorted((a, b) => (a.link_hash < b.link_hash ? -1 : 1));
        const unused: string[] = [];
        for (const { link_hash, uses } of sorted) {
          await transaction.rows(lock, [tenant, link_hash]);
          const [row] = await transaction.rows(taken, [tenant, link_hash, work_order_id]);
          const [all, own] = (row ?? [0, 0]) as readonly [number, number];
          if (own > 0) continue;
          if (all >= uses) return ok(link_hash);
          unused.push(link_hash);
        }
        for (const link_hash of unused)
          await transaction.write(take, [tenant, link_hash, work_order_id, isoTime(clock.now())]);
        return ok(null);
      }),
  };
}
