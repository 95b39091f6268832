import { type Clock, domainError, err, messageOf, ok, type Result } from "#base";
import { microUsd } from "../decide-share.ts";
import type { RecalledStore } from "../recalled-store.ts";
import { openSqlite, type Sqlite } from "./connection.ts";
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
  const into = (table: string, columns: string): ((...values: readonly unknown[]) => void) => {
    const names = columns.split(" ");
    const insert = database.prepare(
      `INSERT INTO ${table} (tenant_id, ${names.join(", ")}) VALUES (?${", ?".repeat(names.length)}) ON CONFLICT DO NOTHING`,
    );
    return (...values) => void insert.run(tenant, ...values);
  };
  const number = into("work_order_numbers", "day last_number");
  for (const [day, last] of recalled.numbers) number(day, last);

  const share = into("budget_shares", "pool_id session_id work_order_id tokens micro_usd settled");
  for (const { pool_id, session_id, work_order_id, tokens, usd } of recalled.shares)
    share(pool_id, session_id, work_order_id, tokens, microUsd(usd), 1);
  database.exec(
    `INSERT INTO budget_pools (tenant_id, pool_id, tokens, micro_usd)
     SELECT tenant_id, pool_id, sum(tokens), sum(micro_usd) FROM budget_shares GROUP BY tenant_id, pool_id`,
  );

  const order = into("work_orders", "work_order_id idempotency_key order_hash claimed_at session_id result");
  for (const { work_order_id, idempotency_key, order_hash, claimed_at, session_id, result } of recalled.orders)
    order(work_order_id, idempotency_key, order_hash, claimed_at, session_id, result);

  const halt = into("halts", "target by_whom reason halted_at");
  for (const { session_id, by, reason, halted_at } of recalled.halts) halt(session_id ?? "*", by, reason, halted_at);

  const pin = into("tool_pins", "server tool name hash launch definition approved_at approved_by");
  for (const { server, tool, name, hash, launch, definition, approved_at, approved_by } of recalled.toolPins)
    pin(server, tool, name, hash, launch, definition, approved_at, approved_by);

  const key = into(
    "api_keys",
    "key_id key_sha256 caller_id scope note created_at created_by expires_at revoked_at revoked_by",
  );
  for (const each of recalled.apiKeys) {
    const { key_id, key_sha256, caller_id, scope, note, created_at, created_by, expires_at } = each;
    const scopeText = scope && JSON.stringify(scope);
    const { revoked_at, revoked_by } = each;
    key(key_id, key_sha256, caller_id, scopeText, note, created_at, created_by, expires_at, revoked_at, revoked_by);
  }

  const approval = into(
    "approvals",
    "approval_id kind title reason author session_id run_id subject subject_hash choices created_at expires_at choice decided_by decided_at decision_reason result",
  );
  for (const each of recalled.approvals) {
    const { approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices } = each;
    const { created_at, expires_at, decision } = each;
    approval(
      ...[approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, JSON.stringify(choices)],
      ...[created_at, expires_at, decision?.choice ?? null, decision?.by ?? null, decision?.at ?? null],
      ...[decision?.reason ?? null, decision?.result ?? null],
    );
  }
}
