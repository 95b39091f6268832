import { domainError, err, ok, type Result } from "#base";
import type { Migration } from "../migration.ts";
import type { Postgres } from "./connection.ts";
import { postgresFailure } from "./failure.ts";

/** Any number will do, as long as it is always the same: whoever migrates anything of Writ holds it. */
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
 * An index over many rows takes longer than any statement may elsewhere, and so does waiting for the process that is at it. All
 * of this ends with the transaction.
 */
const takeTime = {
  name: "store/take-time-to-migrate",
  text: `SELECT set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true),
    set_config('lock_timeout', '30min', true)`,
};
/** Ours is no such limit, but an administrator may have set it; servers know it from version 17 on. */
const takeTimeInAll = {
  name: "store/take-time-in-all-to-migrate",
  text: "SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'",
};
const isThere = {
  name: "store/migrations-are-there",
  text: "SELECT to_regclass('writ_migrations') IS NOT NULL AND to_regclass('writ_commit') IS NOT NULL",
};
const lock = {
  name: "store/lock-migrations",
  text: `SELECT pg_advisory_xact_lock(${migrators})`,
  patient: true,
} as const;
/** A table that somebody reads is not waited for as long: whoever comes next stands behind us. */
const waitLess = { name: "store/wait-less-to-migrate", text: "SELECT set_config('lock_timeout', '10s', true)" };
const newestApplied = {
  name: "store/newest-migration",
  text: "SELECT coalesce(max(number), 0) FROM writ_migrations WHERE component = $1",
};
const record = {
  name: "store/record-migration",
  text: "INSERT INTO writ_migrations (component, number, name) VALUES ($1, $2, $3)",
};

/**
 * Brings one component's tables up to date. Safe when several processes start at once: the lock comes before the look that
 * counts, so a second migrator waits here and then finds nothing left to do. Where everything is up to date nothing is
 * said but questions: a role that may make no tables, which careful administrators give to servers, works on them.
 */
export async function migratePostgres(
  postgres: Postgres,
  component: string,
  migrations: readonly Migration[],
): Promise<Result<void>> {
  const newest = migrations.at(-1)?.number ?? 0;
  try {
    if (await postgres.retrying(() => isUpToDate(postgres, component, newest))) return ok(undefined);
    return await postgres.retrying(() =>
      postgres.transaction(async (transaction): Promise<Result<void>> => {
        transaction.tidy(takeTime);
        transaction.tidy(takeTimeInAll);
        await transaction.rows(lock);
        transaction.tidy(waitLess);
        await transaction.rows(history);
        await transaction.rows(commits);
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
          // Several statements in one text travel only without a name and without parameters.
          for (const [index, text] of statementsOf(sql).entries())
            await transaction.rows({ name: `migrate/${component}/${number}/${index}`, text, patient: true });
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

/** Migrations are plain statements, each ending with a semicolon at the end of its line. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .replace(/^\s*--.*$/gm, "")
    .split(/;\s*$/m)
    .map((text) => text.trim())
    .filter((text) => text !== "");
}
