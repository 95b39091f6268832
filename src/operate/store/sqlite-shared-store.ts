import { SqliteRates, sqliteBudgetShares } from "#agents";
import { openSqlite, refuseUnstorable } from "#core/database";
import { type Clock, ok, type Result } from "#core/values";
import { sqliteToolPins } from "#effects";
import { sqliteApiKeys, sqliteApprovals, sqliteGrantUses, sqliteRequestKeys } from "#people";
import { sqliteCatalog } from "#proof";
import { sqliteHalts, sqliteThreads, sqliteWorkOrders } from "#work";
import { sqliteSealedValues } from "#workspace";
import { sqlitePrune } from "../prune/sqlite.ts";
import type { SharedStore } from "./shared-store.ts";
import { migrateShared, tenant } from "./shared-tables.ts";

export function openSharedStore(file: string, clock: Clock): Result<SharedStore> {
  const opened = openSqlite(file);
  if (!opened.ok) return opened;
  const database = opened.value;
  const migrated = migrateShared(database, clock);
  if (!migrated.ok) {
    database.close();
    return migrated;
  }
  const rates = new SqliteRates(file, tenant, clock);
  const store: SharedStore = {
    ...sqliteWorkOrders(database, tenant, clock),
    ...sqliteBudgetShares(database, tenant),
    ...sqliteHalts(database, tenant, clock),
    ...sqliteThreads(database, tenant),
    ...sqliteToolPins(database, tenant),
    ...sqliteRequestKeys(database, tenant),
    ...sqliteApiKeys(database, tenant),
    ...sqliteApprovals(database, tenant),
    ...sqliteGrantUses(database, tenant, clock),
    ...sqliteSealedValues(database, tenant),
    ...sqliteCatalog(database, tenant),
    ...sqlitePrune(database, tenant, clock),
    takeRate: (bucket_id, limits, ask) => rates.takeRate(bucket_id, limits, ask),
    close() {
      rates.close();
      database.close();
    },
  };
  return ok(refuseUnstorable(store));
}
