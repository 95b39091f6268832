import { type InsertRows, type Migration, orUnavailable, type Sqlite } from "#core/database";
import { type Clock, isoTime } from "#core/values";
import type { CountedLink } from "../check-chain.ts";
import type { GrantUse, GrantUseStore } from "./grant-use-store.ts";

export const grantMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "grant-uses",
    // A use is an order that acts by the link; it stays when the order is pruned, or the link could be used again.
    sql: `
      CREATE TABLE grant_uses (
        tenant_id TEXT NOT NULL,
        link_hash TEXT NOT NULL,
        work_order_id TEXT NOT NULL,
        used_at TEXT NOT NULL,
        PRIMARY KEY (tenant_id, link_hash, work_order_id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

const guarded = orUnavailable("the uses of grants cannot be counted");

export function sqliteGrantUses(database: Sqlite, tenant: string, clock: Clock): GrantUseStore {
  const insert = database.prepare(
    "INSERT INTO grant_uses (tenant_id, link_hash, work_order_id, used_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const count = database.prepare<[string, string], { taken: number }>(
    "SELECT count(*) AS taken FROM grant_uses WHERE tenant_id = ? AND link_hash = ?",
  );
  const has = database.prepare("SELECT 1 FROM grant_uses WHERE tenant_id = ? AND link_hash = ? AND work_order_id = ?");
  const take = database.transaction((work_order_id: string, links: readonly CountedLink[]): string | null => {
    const unused = links.filter(({ link_hash }) => !has.get(tenant, link_hash, work_order_id));
    const spent = unused.find(({ link_hash, uses }) => (count.get(tenant, link_hash)?.taken ?? 0) >= uses);
    if (spent) return spent.link_hash;
    for (const { link_hash } of unused) insert.run(tenant, link_hash, work_order_id, isoTime(clock.now()));
    return null;
  });
  return {
    takeGrantUses: (work_order_id, links) => guarded(() => take.immediate(work_order_id, links)),
  };
}

/** Makes the table anew from what the events tell. */
export function rebuildGrantUses(insert: InsertRows, uses: readonly GrantUse[]): void {
  insert("grant_uses", "link_hash work_order_id used_at", uses);
}
