import { postgresBudgetShares, postgresRates } from "#agents";
import type { Postgres, Tables } from "#core/database";
import { migratePostgres, migrationsBeside, refuseUnstorable } from "#core/database";
import { type Clock, ok, type Result } from "#core/values";
import { postgresToolPins } from "#effects";
import { postgresApiKeys, postgresApprovals, postgresGrantUses, postgresRequestKeys } from "#people";
import { postgresCatalog } from "#proof";
import { postgresHalts, postgresThreads, postgresWorkOrders } from "#work";
import { postgresSealedValues } from "#workspace";
import { postgresPrune } from "../prune/postgres.ts";
import type { SharedStore } from "./shared-store.ts";

/** A released step is never edited; the next change is the next file. */
const steps = [
  "001_shared",
  "002_approvals",
  "003_kept-texts",
  "004_retention",
  "005_words-that-stand",
  "006_held-to-tenants",
  "007_grant-uses",
  "008_sealed-values",
  "009_threads",
  "010_halt-grants",
  "011_session-catalog",
];

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
  const migrated = await migratePostgres(postgres, "shared", migrationsBeside(import.meta.url, steps));
  if (!migrated.ok) return migrated;
  const { clock, testTime, tenant = postgres.address.tenant } = options;
  const tables: Tables = { postgres, clock, tenant, testTime };
  const store: SharedStore = {
    ...postgresWorkOrders(tables),
    ...postgresBudgetShares(tables),
    ...postgresHalts(tables),
    ...postgresThreads(tables),
    ...postgresToolPins(tables),
    ...postgresRequestKeys(tables),
    ...postgresApiKeys(tables),
    ...postgresApprovals(tables),
    ...postgresGrantUses(tables),
    ...postgresRates(tables),
    ...postgresSealedValues(tables),
    ...postgresCatalog(tables),
    ...postgresPrune(tables),
    close: () => undefined,
  };
  return ok(refuseUnstorable(store));
}
