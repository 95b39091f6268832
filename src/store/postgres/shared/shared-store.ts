import { readFileSync } from "node:fs";
import { type Clock, ok, type Result } from "#base";
import type { Migration } from "../../migration.ts";
import { refuseUnkeepable } from "../../refuse-unkeepable.ts";
import { postgresApiKeys } from "../../repositories/api-keys/postgres.ts";
import { postgresApprovals } from "../../repositories/approvals/postgres.ts";
import { postgresBudgetShares } from "../../repositories/budget-shares/postgres.ts";
import { postgresHalts } from "../../repositories/halts/postgres.ts";
import { postgresPrune } from "../../repositories/pruning/postgres.ts";
import { postgresRates } from "../../repositories/rates/postgres.ts";
import { postgresRequestKeys } from "../../repositories/request-keys/postgres.ts";
import { postgresToolPins } from "../../repositories/tool-pins/postgres.ts";
import { postgresWorkOrders } from "../../repositories/work-orders/postgres.ts";
import type { SharedStore } from "../../shared-store.ts";
import type { Postgres } from "../connection.ts";
import { migratePostgres } from "../migrate.ts";
import type { Tables } from "../tables.ts";

/** A released step is never edited; the next change is the next file. */
const steps = [
  "001_shared",
  "002_approvals",
  "003_kept-texts",
  "004_retention",
  "005_words-that-stand",
  "006_held-to-tenants",
] as const;

/** What the processes of many machines hold in common. The connection is the caller's, who closes it. */
export async function openPostgresSharedStore(
  postgres: Postgres,
  options: {
    readonly clock: Clock;
    readonly tenant?: string;
    /** Owns the time of rates in place of the database. For tests alone. */
    readonly testTime?: Clock;
  },
): Promise<Result<SharedStore>> {
  const migrations: readonly Migration[] = steps.map((name, index) => ({
    number: index + 1,
    name,
    sql: readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), "utf8"),
  }));
  const migrated = await migratePostgres(postgres, "shared", migrations);
  if (!migrated.ok) return migrated;
  const { clock, testTime, tenant = postgres.address.tenant } = options;
  const tables: Tables = { postgres, clock, tenant, testTime };
  const store: SharedStore = {
    ...postgresWorkOrders(tables),
    ...postgresBudgetShares(tables),
    ...postgresHalts(tables),
    ...postgresToolPins(tables),
    ...postgresRequestKeys(tables),
    ...postgresApiKeys(tables),
    ...postgresApprovals(tables),
    ...postgresRates(tables),
    ...postgresPrune(tables),
    close: () => undefined,
  };
  return ok(refuseUnkeepable(store));
}
