import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { migratePostgres, openPostgres, type Postgres, postgresAddress } from "#core/database";
import { createIds, systemClock, systemRandom } from "#core/values";
import { value } from "../../../test/support/log.ts";
import { freshDatabase } from "../../../test/support/postgres/shared-server.ts";
import { eventLogCases } from "../event-log.case.ts";
import type { PayloadRedactor } from "../payload-redactor.ts";
import { PostgresLog } from "./postgres-log.ts";
import { logMigrations } from "./sql.ts";

let postgres: Postgres;
beforeAll(async () => {
  const address = value(postgresAddress(await freshDatabase()));
  postgres = await openPostgres(address, { clock: systemClock, random: systemRandom });
  value(await migratePostgres(postgres, "log", logMigrations)); // some cases read before anything is written
});
afterAll(() => postgres.close());

/** Redacts nothing. */
const unchanged: PayloadRedactor = { redactJson: (value) => ({ value }) };
const ids = createIds(systemClock, systemRandom);

type OpenLog = Parameters<typeof eventLogCases>[1]["open"];

const openLog: OpenLog = (tenant, { redactor = unchanged, maxPayloadBytes } = {}) => {
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
};

/** A location is a tenant: a case that sees rows of another fails. */
eventLogCases("PostgreSQL", { place: () => ids.sortable("tenant"), open: openLog });

test("killed processes are deleted a day later, when another process begins to write", async () => {
  const tenant = "killed-writers";
  const writer = (name: string, hoursAgo: number) =>
    postgres.rows(
      { name: "", text: "INSERT INTO log_writer (tenant_id, writer_id, name, expires_at) VALUES ($1, $2, $2, $3)" },
      [tenant, name, systemClock.now() - hoursAgo * 3_600_000],
    );
  await writer("long gone", 25);
  await writer("gone", 23);
  const log = openLog(tenant);
  value(await log.create({ tier: "ho1" }));
  const names = await postgres.rows(
    { name: "", text: "SELECT name FROM log_writer WHERE tenant_id = $1 ORDER BY name" },
    [tenant],
  );
  expect(names.flat()).toEqual(["gone", expect.stringMatching(/^process \d+ on /)]);
});
