import { type Clock, domainError, err, messageOf, ok, type Result } from "#base";
import { microUsd } from "../decide-share.ts";
import type { RecalledStore } from "../recalled-store.ts";
import { openSqlite, type Sqlite } from "./connection.ts";
import { everything } from "./halts.ts";
import { isWithoutTables } from "./is-new-store.ts";
import { migrateShared, tenant } from "./shared-tables.ts";

/**
 * Makes a store that is gone anew with what the events tell of it, whole or not at all: tables and rows are one
 * transaction. False when another process was first; what it made stands.
 */
export function rebuildSharedStore(file: string, clock: Clock, recalled: RecalledStore): Result<boolean> {
  const opened = openSqlite(file);
  if (!opened.ok) return opened;
  const database = opened.value;
  try {
    return database
      .transaction((): Result<boolean> => {
        if (!isWithoutTables(database)) return ok(false);
        const migrated = migrateShared(database, clock);
        if (!migrated.ok) throw new Error(migrated.error.message, { cause: migrated.error });
        fill(database, recalled);
        return ok(true);
      })
      .immediate();
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `the store ${file} could not be rebuilt: ${messageOf(thrown)}`, {
        details: { file },
        cause: thrown,
      }),
    );
  } finally {
    database.close();
  }
}

function fill(database: Sqlite, recalled: RecalledStore): void {
  const insert = (table: string, columns: string, rows: Iterable<object>): void => {
    const names = columns.split(" ");
    const statement = database.prepare(
      `INSERT INTO ${table} (tenant_id, ${names.join(", ")}) VALUES (@tenant, @${names.join(", @")}) ON CONFLICT DO NOTHING`,
    );
    for (const row of rows) statement.run({ ...row, tenant });
  };
  insert(
    "work_order_numbers",
    "day last_number",
    [...recalled.numbers].map(([day, last_number]) => ({ day, last_number })),
  );
  insert(
    "budget_shares",
    "pool_id session_id work_order_id tokens micro_usd settled",
    recalled.shares.map((share) => ({ ...share, micro_usd: microUsd(share.usd), settled: 1 })),
  );
  database.exec(
    `INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd)
     SELECT tenant_id, pool_id, sum(tokens), sum(micro_usd) FROM budget_shares GROUP BY tenant_id, pool_id`,
  );
  insert("work_orders", "work_order_id idempotency_key order_hash claimed_at session_id result", recalled.orders);
  insert(
    "halts",
    "target by_whom reason halted_at",
    recalled.halts.map((halt) => ({ ...halt, target: halt.session_id ?? everything, by_whom: halt.by })),
  );
  insert("tool_pins", "server tool name hash launch definition approved_at approved_by", recalled.toolPins);
  insert(
    "api_keys",
    "key_id key_sha256 caller_id scope note created_at created_by expires_at revoked_at revoked_by",
    recalled.apiKeys.map((key) => ({ ...key, scope: key.scope && JSON.stringify(key.scope) })),
  );
  insert(
    "approvals",
    "approval_id kind title reason author session_id run_id subject subject_hash choices created_at expires_at choice decided_by decided_at decision_reason result",
    recalled.approvals.map(({ decision, ...asked }) => ({
      ...asked,
      choices: JSON.stringify(asked.choices),
      choice: decision?.choice ?? null,
      decided_by: decision?.by ?? null,
      decided_at: decision?.at ?? null,
      decision_reason: decision?.reason ?? null,
      result: decision?.result ?? null,
    })),
  );
}
