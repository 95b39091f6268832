import { rebuildBudgetShares } from "#agents";
import { insertRowsInto, isWithoutTables, openSqlite, type Sqlite } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import { rebuildToolPins } from "#effects";
import { rebuildApiKeys, rebuildApprovals, rebuildGrantUses } from "#people";
import { rebuildHalts, rebuildThreads, rebuildWorkOrders } from "#work";
import type { RebuiltStore } from "./rebuilt-store.ts";
import { migrateShared, tenant } from "./shared-tables.ts";

/**
 * Rebuilds a lost store with what was read from the events, whole or not at all: tables and rows are one transaction. False when
 * another process was first; its store stays.
 */
export function rebuildSharedStore(file: string, clock: Clock, rebuilt: RebuiltStore): Result<boolean> {
  const opened = openSqlite(file);
  if (!opened.ok) return opened;
  const database = opened.value;
  try {
    return database
      .transaction((): Result<boolean> => {
        if (!isWithoutTables(database)) return ok(false);
        const migrated = migrateShared(database, clock);
        if (!migrated.ok) throw new Error(migrated.error.message, { cause: migrated.error });
        fill(database, rebuilt);
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

function fill(database: Sqlite, rebuilt: RebuiltStore): void {
  const insert = insertRowsInto(database, tenant);
  rebuildWorkOrders(insert, rebuilt);
  rebuildBudgetShares(database, insert, rebuilt.shares);
  rebuildHalts(insert, rebuilt.halts);
  rebuildToolPins(insert, rebuilt.toolPins);
  rebuildApiKeys(insert, rebuilt.apiKeys);
  rebuildApprovals(insert, rebuilt.approvals);
  rebuildGrantUses(insert, rebuilt.grantUses);
  rebuildThreads(insert, rebuilt.threads);
}
