import { type Clock, ok, type Result } from "#base";
import { refuseUnkeepable } from "../refuse-unkeepable.ts";
import { sqliteApiKeys } from "../repositories/api-keys/sqlite.ts";
import { sqliteApprovals } from "../repositories/approvals/sqlite.ts";
import { sqliteBudgetShares } from "../repositories/budget-shares/sqlite.ts";
import { sqliteHalts } from "../repositories/halts/sqlite.ts";
import { sqlitePrune } from "../repositories/pruning/sqlite.ts";
import { SqliteRates } from "../repositories/rates/sqlite.ts";
import { sqliteRequestKeys } from "../repositories/request-keys/sqlite.ts";
import { sqliteToolPins } from "../repositories/tool-pins/sqlite.ts";
import { sqliteWorkOrders } from "../repositories/work-orders/sqlite.ts";
import type { SharedStore } from "../shared-store.ts";
import { openSqlite } from "./connection.ts";
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
    ...sqliteToolPins(database, tenant),
    ...sqliteRequestKeys(database, tenant),
    ...sqliteApiKeys(database, tenant),
    ...sqliteApprovals(database, tenant),
    ...sqlitePrune(database, tenant),
    takeRate: (bucket_id, limits, ask) => rates.takeRate(bucket_id, limits, ask),
    close() {
      rates.close();
      database.close();
    },
  };
  return ok(refuseUnkeepable(store));
}
