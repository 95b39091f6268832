// Tables stay fast while they grow only if no question reads all of them: every query of every component is planned by the
// server itself, and finds its rows by an index that begins with the tenant.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migratePostgres, openPostgres, postgresAddress } from "#core/database";
import { systemClock, systemRandom } from "#core/values";
import { logMigrations } from "#log";
import { openPostgresKernel } from "#runs";
import { openPostgresSharedStore } from "../../src/operate/store/postgres-shared-store.ts";
import { must } from "../support/kernel-harness.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { repository } from "../support/writ.ts";

const folders = readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" })
  .filter((folder) => folder.endsWith("/queries") && !folder.includes("/sqlite/"))
  .map((folder) => `src/${folder}`);
const queries = folders.flatMap((folder) =>
  readdirSync(join(repository, folder)).map(
    (name) => [name, readFileSync(join(repository, folder, name), "utf8")] as const,
  ),
);

const indexStep = /Scan(?: Backward)? using (\w+) on (\w+)[^\n]*\n\s*Index Cond: ([^\n]*)/g;
/** A handful of rows, whatever the tenant does. */
const small = new Set(["halts", "tool_pins", "api_keys", "log_anchor_tree", "log_writer"]);
/** Lists, which begin at their first entry and stop at their limit, or partial indexes that hold little. */
const lists = new Set([
  "list-runs.sql",
  "list-approvals.sql",
  "orphaned-sessions.sql",
  "read-threads.sql",
  "read-waiting-threads.sql",
  "list-catalogued.sql",
  "catalogued-shadows.sql",
]);
/** What the filters of a list fit is counted over all of a tenant's sessions; a process that opens the catalog reads its heads once. */
const whole = new Set(["count-catalogued.sql", "catalogued-heads.sql"]);

/** The tables' own history, and who is bound to which tenant, belong to the database and to no tenant. */
const ofTheDatabase = new Set(["writ_migrations", "writ_tenant_role"]);

let url: string;
let client: pg.Client;
let bound: string;
/** As the first command of a newer Writ does. */
async function bringUpToDate(): Promise<void> {
  const postgres = await openPostgres(must(postgresAddress(url)), { clock: systemClock, random: systemRandom });
  must(await openPostgresKernel(postgres, { clock: systemClock }));
  must(await openPostgresSharedStore(postgres, { clock: systemClock }));
  must(await migratePostgres(postgres, "log", logMigrations));
  await postgres.close();
}
beforeAll(async () => {
  url = await freshDatabase();
  await bringUpToDate();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  // Partial indexes are chosen by what is known of the rows.
  await client.query(`INSERT INTO work_orders (tenant_id, work_order_id, order_hash, claimed_at, session_id)
    SELECT 't', 'WO-' || n, 'h', n, 'S' || n FROM generate_series(1, 20000) AS n`);
  await client.query(`INSERT INTO approvals (tenant_id, approval_id, kind, title, reason, author, subject, subject_hash, choices, created_at, expires_at)
    SELECT 't', 'A' || n, 'k', 't', 'r', 'a', '{}', 'h', '[]', n, n FROM generate_series(1, 20000) AS n`);
  await client.query(`INSERT INTO session_catalog (tenant_id, session_id, head_hash, kind, outcome, closed, started_at, micro_usd, tokens, took_ms, events,
      refused_acts, skills, tools, info, allowed, saw, wrote, words)
    SELECT 't', 'S' || n, 'h', 'work', 'done', 1, 'T' || n, 0, 0, 0, 1, 0, '', '', '{}', '', '', '', '' FROM generate_series(1, 20000) AS n`);
  await client.query("ANALYZE work_orders, approvals, session_catalog");
  bound = `${new URL(url).pathname.slice(1)}_bound`;
  await client.query(`CREATE ROLE ${bound}`);
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${bound}`);
  await client.query("INSERT INTO writ_tenant_role (role_name, tenant_id) VALUES ($1, 't')", [bound]);
  // As connections of Writ have it (src/core/database/postgres/connection.ts): a plan that still scans has no index to go by.
  for (const name of ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"])
    await client.query(`SET ${name} = off`);
});
afterAll(async () => {
  await client.query(`RESET ROLE; DROP OWNED BY ${bound}; DROP ROLE ${bound}`);
  await client.end();
});

test.each(["the owner", "a role that is bound to a tenant"])(
  "no query of %s reads a table from its first row to its last",
  async (who) => {
    await client.query(who === "the owner" ? "RESET ROLE" : `SET ROLE ${bound}`);
    const scanning: string[] = [];
    for (const [name, text] of queries) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`);
      const plan = rows.map((row) => String(row["QUERY PLAN"])).join("\n");
      if (/Seq Scan/.test(plan)) scanning.push(`${name}: ${plan}`);
      // An index that is entered by nothing but the tenant is walked from its first entry to its last.
      for (const [step, , table = "", condition = ""] of plan.matchAll(indexStep))
        if (table === "writ_tenant_role") expect(condition).toBe("(role_name = CURRENT_USER)");
        else if (
          !condition.includes("tenant_id") ||
          (!/ AND /.test(condition) && !small.has(table) && !lists.has(name) && !whole.has(name))
        )
          scanning.push(`${name}: ${step}`);
    }
    expect(queries.length).toBeGreaterThan(70);
    expect(scanning).toEqual([]);
  },
);

test("every table has its tenant first in its key", async () => {
  const { rows } = await client.query<{ table: string; first: string | null }>(`
    SELECT class.relname AS table, attribute.attname AS first
    FROM pg_class AS class
    LEFT JOIN pg_index AS key ON key.indrelid = class.oid AND key.indisprimary
    LEFT JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = key.indkey[0]
    WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace
    ORDER BY 1`);
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter(({ table, first }) => first !== "tenant_id" && !ofTheDatabase.has(table))).toEqual([]);
});

async function notHeld(): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string }>(`
    SELECT class.relname AS table FROM pg_class AS class
    WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace AND NOT (class.relrowsecurity AND EXISTS
      (SELECT FROM pg_policy AS policy WHERE policy.polrelid = class.oid AND policy.polname = 'writ_tenant'))`);
  return rows.map(({ table }) => table).filter((table) => !ofTheDatabase.has(table));
}

test("every table holds roles to the tenant that they are bound to, also where an older Writ made it", async () => {
  expect(await notHeld()).toEqual([]);
  await client.query("RESET ROLE");
  const { rows } = await client.query<{ table: string }>("SELECT tablename AS table FROM pg_policies");
  for (const { table } of rows) await client.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
  for (const { table } of rows) await client.query(`DROP POLICY IF EXISTS writ_tenant ON ${table}`);
  await client.query("DROP TABLE writ_tenant_role; DROP FUNCTION writ_hold_to_tenant");
  // An older Writ made nothing that came after it either.
  await client.query(
    "DROP TABLE grant_uses; DROP TABLE sealed_values; DROP TABLE thread_messages; DROP TABLE session_catalog",
  );
  await client.query("ALTER TABLE halts DROP COLUMN grants");
  await client.query(`DELETE FROM writ_migrations
    WHERE name LIKE '%held-to-tenants' OR name LIKE '%grant-uses' OR name LIKE '%sealed-values' OR name LIKE '%threads'
      OR name LIKE '%halt-grants' OR name LIKE '%session-catalog'`);
  expect((await notHeld()).length).toBeGreaterThan(20);
  await bringUpToDate();
  expect(await notHeld()).toEqual([]);
});
