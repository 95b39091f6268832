import { type Clock, domainError, err, messageOf, ok, type Result } from "#base";
import type { RecalledStore } from "../recalled-store.ts";
import { rebuildApiKeys } from "../repositories/api-keys/sqlite.ts";
import { rebuildApprovals } from "../repositories/approvals/sqlite.ts";
import { rebuildBudgetShares } from "../repositories/budget-shares/sqlite.ts";
import { rebuildHalts } from "../repositories/halts/sqlite.ts";
import { rebuildToolPins } from "../repositories/tool-pins/sqlite.ts";
import { rebuildWorkOrders } from "../repositories/work-orders/sqlite.ts";
import { openSqlite, type Sqlite } from "./connection.ts";
import { insertRowsInto } from "./insert-rows.ts";
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
  const insert = insertRowsInto(database, tenant);
  rebuildWorkOrders(insert, recalled);
  rebuildBudgetShares(database, insert, recalled.shares);
  rebuildHalts(insert, recalled.halts);
  rebuildToolPins(insert, recalled.toolPins);
  rebuildApiKeys(insert, recalled.apiKeys);
  rebuildApprovals(insert, recalled.approvals);
}
