import type { Migration } from "#core/database";

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
  {
    number: 3,
    name: "work-orders",
    // An order is claimed before it acts and finished with its result: submitted again, it gives that result and acts no second time.
    sql: `
      CREATE TABLE work_orders (
        tenant_id TEXT NOT NULL,
        work_order_id TEXT NOT NULL,
        idempotency_key TEXT,
        order_hash TEXT NOT NULL,
        claimed_at TEXT NOT NULL,
        session_id TEXT,
        result TEXT,
        PRIMARY KEY (tenant_id, work_order_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX work_orders_by_key ON work_orders (tenant_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
    `,
  },
  {
    number: 4,
    name: "tool-pins",
    // What a person approved of a server's tool: the whole definition as it came, and how the server was reached.
    sql: `
      CREATE TABLE tool_pins (
        tenant_id TEXT NOT NULL,
        server TEXT NOT NULL,
        tool TEXT NOT NULL,
        name TEXT NOT NULL,
        hash TEXT NOT NULL,
        launch TEXT NOT NULL,
        definition TEXT NOT NULL,
        approved_at TEXT NOT NULL,
        approved_by TEXT NOT NULL,
        PRIMARY KEY (tenant_id, server, tool)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    number: 5,
    name: "halts",
    // The kill switch: a session's id, or * for everything. Every process polls it.
    sql: `
      CREATE TABLE halts (
        tenant_id TEXT NOT NULL,
        target TEXT NOT NULL,
        by_whom TEXT NOT NULL,
        reason TEXT NOT NULL,
        halted_at TEXT NOT NULL,
        PRIMARY KEY (tenant_id, target)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    number: 6,
    name: "api-keys",
    // Found by the id in the key, proven by the hash of the whole. A revoked key stays, so that records can name it.
    sql: `
      CREATE TABLE api_keys (
        tenant_id TEXT NOT NULL,
        key_id TEXT NOT NULL,
        key_sha256 TEXT NOT NULL,
        caller_id TEXT NOT NULL,
        scope TEXT,
        note TEXT NOT NULL,
        created_at TEXT NOT NULL,
        created_by TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT,
        revoked_by TEXT,
        PRIMARY KEY (tenant_id, key_id)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    number: 7,
    name: "finished-orders-by-age",
    sql: "CREATE INDEX work_orders_finished ON work_orders (tenant_id, claimed_at) WHERE result IS NOT NULL;",
  },
];
