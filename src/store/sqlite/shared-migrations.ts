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
];
