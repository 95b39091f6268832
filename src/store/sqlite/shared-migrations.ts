import type { Migration } from "../migration.ts";

/** The tables that several processes of one workspace share. Never edited after release: a change is a further migration. */
export const sharedMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "work-order-numbers",
    sql: `
      CREATE TABLE work_order_numbers (
        tenant_id TEXT NOT NULL,
        day TEXT NOT NULL,
        last_number INTEGER NOT NULL,
        PRIMARY KEY (tenant_id, day)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    number: 2,
    name: "budget-shares",
    // A share is what one order may spend of a pool; settled, it is what it did spend. Money is kept in millionths of a dollar.
    sql: `
      CREATE TABLE budget_shares (
        tenant_id TEXT NOT NULL,
        pool_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        work_order_id TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        settled INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant_id, pool_id, session_id, work_order_id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE budget_pools (
        tenant_id TEXT NOT NULL,
        pool_id TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        PRIMARY KEY (tenant_id, pool_id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
];
