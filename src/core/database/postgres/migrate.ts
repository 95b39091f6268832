import { domainError } from "../../errors/domain-error.ts";
import { err, ok, type Result } from "../../values/result.ts";
import type { Migration } from "../migration.ts";
import type { Postgres } from "./connection.ts";
import { postgresFailure } from "./failure.ts";

/** The advisory lock that every migrator of Writ takes. Any number serves, as long as it never changes. */
const migrators = 87_105_116;

const history = {
  name: "store/migrations-table",
  text: `CREATE TABLE IF NOT EXISTS writ_migrations (
    component text NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (component, number)
  )`,
};
/** Where transactions write the keys by which a lost commit is looked up (connection.ts). */
const commits = {
  name: "store/commits-table",
  text: `CREATE TABLE IF NOT EXISTS writ_commit (
    tenant_id text COLLATE "C" NOT NULL,
    commit_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, commit_key)
  )`,
};
/**
 * The tenant that a role may see, where the owner of the tables bound it to one; an unbound role sees the tenant that
 * it asks for. A role that does not own the tables cannot write here, whatever it was granted (row security does not
 * apply to the owner).
 */
const roles = {
  name: "store/tenant-roles-table",
  text: `CREATE TABLE IF NOT EXISTS writ_tenant_role (
    role_name name NOT NULL PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL
  )`,
};
/**
 * Called by steps that create a table. From then on a role that is bound to a tenant sees no row of another tenant
 * there, even where a statement forgets the tenant. The binding is read once per statement; indexes stay usable,
 * because comparing texts is leakproof.
 */
const hold = {
  name: "store/hold-to-tenant",
  text: `CREATE OR REPLACE FUNCTION writ_hold_to_tenant(held text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held);
    EXECUTE format('CREATE POLICY writ_tenant ON %I USING (tenant_id = coalesce(
      (SELECT bound.tenant_id FROM writ_tenant_role AS bound WHERE bound.role_name = current_user), tenant_id))', held);
  END $$`,
};
const holdOwn = {
  name: "store/hold-own-tables",
  text: `DO $$ BEGIN
    IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'writ_tenant_role'::regclass) THEN
      ALTER TABLE writ_tenant_role ENABLE ROW LEVEL SECURITY;
      CREATE POLICY writ_read ON writ_tenant_role FOR SELECT USING (true);
      PERFORM writ_hold_to_tenant('writ_commit');
    END IF;
  END $$`,
};
/**
 * An index over many rows takes longer than other statements may, and so does waiting for the process that builds it.
 * These settings end with the transaction.
 */
const takeTime = {
  name: "store/take-time-to-migrate",
  text: `SELECT set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true),
    set_config('lock_timeout', '30min', true)`,
};
/** Writ sets no such limit, but an administrator may; servers know the setting from version 17 on. */
const takeTimeInAll = {
  name: "store/take-time-in-all-to-migrate",
  text: "SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'",
};
const isThere = {
  name: "store/migrations-are-there",
  text: `SELECT to_regclass('writ_migrations') IS NOT NULL AND to_regclass('writ_commit') IS NOT NULL
    AND to_regclass('writ_tenant_role') IS NOT NULL`,
};
const lock = {
  name: "store/lock-migrations",
  text: `SELECT pg_advisory_xact_lock(${migrators})`,
  hasNoTimeout: true,
} as const;
/** Waits less for the lock of a table in use: every later query on the table queues behind the migrator. */
const waitLess = { name: "store/wait-less-to-migrate", text: "SELECT set_config('lock_timeout', '10s', true)" };
const newestApplied = {
  name: "store/newest-migration",
  text: "SELECT coalesce(max(number), 0) FROM writ_migrations WHERE component = $1",
};
const boundTo = {
  name: "store/bound-to",
  text: "SELECT role_name::text, tenant_id FROM writ_tenant_role WHERE role_name = current_user",
};
const record = {
  name: "store/record-migration",
  text: "INSERT INTO writ_migrations (component, number, name) VALUES ($1, $2, $3)",
};

/**
 * Brings one component's tables up to date. Safe when several processes start at once: the lock is taken before the
 * version is read, so a second migrator waits here and then finds nothing left to do. Where everything is up to date
 * only reads are sent: a role without the right to create tables, which careful administrators give to servers,
 * suffices.
 */
export async function migratePostgres(
  postgres: Postgres,
  component: string,
  migrations: readonly Migration[],
): Promise<Result<void>> {
  const newest = migrations.at(-1)?.number ?? 0;
  try {
    if (await postgres.retrying(() => isUpToDate(postgres, component, newest))) return await checkTenant(postgres);
    return await postgres.retrying(() =>
      postgres.transaction(async (transaction): Promise<Result<void>> => {
        transaction.tidy(takeTime);
        transaction.tidy(takeTimeInAll);
        await transaction.rows(lock);
        transaction.tidy(waitLess);
        await transaction.rows(history);
        await transaction.rows(commits);
        await transaction.rows(roles);
        await transaction.rows(hold);
        await transaction.rows(holdOwn);
        const [row] = await transaction.rows(newestApplied, [component]);
        const applied = row?.[0] as number;
        if (applied > newest)
          return err(
            domainError(
              "STORE_TOO_NEW",
              `the ${component} tables are at version ${applied}, this program knows ${newest}: use the newer Writ that made them`,
              { details: { component, found: applied, known: newest } },
            ),
          );
        for (const { number, name, sql } of migrations) {
          if (number <= applied) continue;
          // A text of several statements can be sent only without a name and without parameters.
          for (const [index, text] of statementsOf(sql).entries())
            await transaction.rows({ name: `migrate/${component}/${number}/${index}`, text, hasNoTimeout: true });
          transaction.send(record, [component, number, name]);
        }
        return ok(undefined);
      }),
    );
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}

async function isUpToDate(postgres: Postgres, component: string, newest: number): Promise<boolean> {
  const [there] = await postgres.rows(isThere);
  if (there?.[0] !== true) return false;
  const [row] = await postgres.rows(newestApplied, [component]);
  return row?.[0] === newest;
}

/** Refuses a role that is bound to another tenant: it would find no rows and get no error. */
async function checkTenant(postgres: Postgres): Promise<Result<void>> {
  const [row] = await postgres.retrying(() => postgres.rows(boundTo));
  const [role, bound_to] = (row ?? []) as readonly [string?, string?];
  const { tenant } = postgres.address;
  if (bound_to === undefined || bound_to === tenant) return ok(undefined);
  const hint = `say tenant=${encodeURIComponent(bound_to)} in the store's address, or come as the role of ${tenant}`;
  return err(
    domainError(
      "CONFIG_INVALID",
      `the role ${role} is bound to the tenant ${bound_to}, and the store's address names ${tenant}`,
      { details: { role, bound_to, tenant, hint } },
    ),
  );
}

/** Migrations are plain statements, each ending with a semicolon at the end of its line. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .replace(/^\s*--.*$/gm, "")
    .split(/;\s*$/m)
    .map((text) => text.trim())
    .filter((text) => text !== "");
}
