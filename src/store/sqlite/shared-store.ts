import { type Clock, domainError, err, messageOf, ok, type Result } from "#base";
import { refuseUnkeepable } from "../refuse-unkeepable.ts";
import type { SharedStore } from "../shared-store.ts";
import { apiKeys } from "./api-keys.ts";
import { approvalMigrations, approvals } from "./approvals.ts";
import { budgetShares } from "./budget-shares.ts";
import { openSqlite } from "./connection.ts";
import { halts } from "./halts.ts";
import { migrate } from "./migrate.ts";
import { prune } from "./prune.ts";
import { Rates, rateMigrations } from "./rates.ts";
import { requestKeyMigrations, requestKeys } from "./request-keys.ts";
import { sharedMigrations } from "./shared-migrations.ts";
import { toolPins } from "./tool-pins.ts";
import { workOrders } from "./work-orders.ts";

/** One workspace is one tenant; a server on PostgreSQL has many. */
const tenant = "local";

/** Each part has tables of its own, and a history of its own. */
const components = {
  shared: sharedMigrations,
  requests: requestKeyMigrations,
  rates: rateMigrations,
  approvals: approvalMigrations,
};

export function openSharedStore(file: string, clock: Clock): Result<SharedStore> {
  const opened = openSqlite(file);
  if (!opened.ok) return opened;
  const database = opened.value;
  for (const [component, migrations] of Object.entries(components)) {
    const migrated = migrate(database, component, migrations, clock);
    if (migrated.ok) continue;
    database.close();
    return migrated;
  }
  const take = database.prepare<[string, string, number, number], { last_number: number }>(
    `INSERT INTO work_order_numbers (tenant_id, day, last_number) VALUES (?, ?, ?)
     ON CONFLICT (tenant_id, day) DO UPDATE SET last_number = last_number + ?
     RETURNING last_number`,
  );
  const shares = budgetShares(database, tenant);
  const orders = workOrders(database, tenant, clock);
  const pins = toolPins(database, tenant);
  const rates = new Rates(file, tenant, clock);
  const store: SharedStore = {
    toolPins: pins.list,
    changeToolPins: pins.change,
    claimOrders: orders.claim,
    finishOrders: orders.finish,
    forgetOrder: orders.forget,
    findOrder: orders.find,
    unfinishedOrders: orders.unfinished,
    ...halts(database, tenant, clock),
    ...requestKeys(database, tenant),
    ...approvals(database, tenant),
    ...apiKeys(database, tenant),
    ...prune(database, tenant),
    takeBudgetShare: shares.take,
    settleBudgetShare: shares.settle,
    openBudgetShares: shares.openShares,
    takeWorkOrderNumbers(day, count) {
      try {
        const row = take.get(tenant, day, count, count);
        return ok((row?.last_number ?? count) - count + 1);
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `no work order number could be taken: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
      }
    },
    takeRate: (bucket_id, limits, ask) => rates.takeRate(bucket_id, limits, ask),
    close() {
      rates.close();
      database.close();
    },
  };
  return ok(refuseUnkeepable(store));
}
