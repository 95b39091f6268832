import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createIds, systemClock, systemRandom } from "#base";
import { shippedRegistry } from "#schemas";
import { migratePostgres, openPostgres, type Postgres, postgresAddress } from "#store";
import { value } from "../../../test/support/log.ts";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { eventLogCases } from "../event-log.case.ts";
import type { PayloadRedactor } from "../redactor.ts";
import { PostgresLog } from "./postgres-log.ts";
import { logMigrations } from "./sql.ts";

let postgres: Postgres;
beforeAll(async () => {
  const address = value(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  value(await migratePostgres(postgres, "log", logMigrations)); // some cases read before anybody wrote
});
afterAll(() => postgres.close());

/** Redacts nothing. */
const unchanged: PayloadRedactor = { redactJson: (value) => ({ value }) };
const ids = createIds(systemClock, systemRandom);

/** A place is a tenant: what a case sees of others would show at once. */
eventLogCases("PostgreSQL", {
  place: () => ids.sortable("tenant"),
  open(tenant, { redactor = unchanged, maxPayloadBytes } = {}) {
    const log = new PostgresLog({
      postgres,
      tenant,
      root: "/nowhere",
      schemas: shippedRegistry(),
      redactor,
      clock: systemClock,
      ids,
      limits: { pollMs: 20, ...(maxPayloadBytes === undefined ? {} : { maxPayloadBytes }) },
    });
    onTestFinished(async () => {
      await log.shutdown();
    });
    return log;
  },
});
