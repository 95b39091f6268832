import { dirname } from "node:path";
import { type DomainError, domainError, messageOf } from "../../errors/domain-error.ts";
import { diskFull, isDiskFull } from "../../machine/disk-room.ts";
import { type Clock, isoTime } from "../../values/clock.ts";
import { err, ok, type Result } from "../../values/result.ts";
import type { Migration } from "../migration.ts";
import type { Sqlite } from "./connection.ts";

/**
 * Brings the tables of some components up to date, in one transaction: a new file is synced once, not once for each. Safe when
 * several processes start at once: the write lock is taken before a version is read, so a second migrator waits here and then
 * finds nothing left to do.
 */
export function migrate(
  database: Sqlite,
  components: Readonly<Record<string, readonly Migration[]>>,
  clock: Clock,
): Result<void> {
  try {
    return database
      .transaction((): Result<void> => {
        database.exec(
          "CREATE TABLE IF NOT EXISTS migrations (component TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL, PRIMARY KEY (component, number)) STRICT, WITHOUT ROWID",
        );
        for (const [component, migrations] of Object.entries(components)) {
          const newer = bring(database, component, migrations, clock);
          if (newer) return err(newer);
        }
        return ok(undefined);
      })
      .immediate();
  } catch (thrown) {
    const folder = dirname(database.name);
    if (isDiskFull(thrown, folder)) return err(diskFull(folder, thrown));
    return err(
      domainError(
        "STORE_UNAVAILABLE",
        `cannot migrate the ${Object.keys(components).join(", ")} tables: ${messageOf(thrown)}`,
        {
          cause: thrown,
        },
      ),
    );
  }
}

function bring(
  database: Sqlite,
  component: string,
  migrations: readonly Migration[],
  clock: Clock,
): DomainError | undefined {
  const applied =
    database
      .prepare<[string], { number: number | null }>("SELECT max(number) AS number FROM migrations WHERE component = ?")
      .get(component)?.number ?? 0;
  const newest = migrations.at(-1)?.number ?? 0;
  if (applied > newest)
    return domainError(
      "STORE_TOO_NEW",
      `the ${component} tables are at version ${applied}, this program knows ${newest}: use the newer Writ that made them`,
      { details: { component, found: applied, known: newest } },
    );
  const record = database.prepare("INSERT INTO migrations (component, number, name, applied_at) VALUES (?, ?, ?, ?)");
  for (const migration of migrations) {
    if (migration.number <= applied) continue;
    database.exec(migration.sql);
    record.run(component, migration.number, migration.name, isoTime(clock.now()));
  }
  return undefined;
}
