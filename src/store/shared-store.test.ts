import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { systemClock, systemRandom } from "#base";
import { freshDatabase } from "../../test/support/postgres/shared-server.ts";
import { postgresAddress } from "./postgres/address.ts";
import { openPostgres, type Postgres } from "./postgres/connection.ts";
import { openPostgresSharedStore } from "./postgres/shared/shared-store.ts";
import { sharedStoreCases } from "./shared-store.case.ts";
import { openSharedStore } from "./sqlite/shared-store.ts";

const folder = mkdtempSync(join(tmpdir(), "writ-shared-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

sharedStoreCases("SQLite", {
  open: async (name, clock) => {
    const store = openSharedStore(join(folder, `${name}.db`), clock);
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
});

let postgres: Postgres;
beforeAll(async () => {
  const address = postgresAddress(await freshDatabase());
  if (!address.ok) throw new Error(address.error.message);
  postgres = await openPostgres(address.value, { clock: systemClock, random: systemRandom });
});
afterAll(() => postgres.close());

/** Each test is a tenant of its own in one database: what it sees of others would show at once. */
sharedStoreCases("PostgreSQL", {
  open: async (tenant, clock) => {
    const store = await openPostgresSharedStore(postgres, { clock, tenant, testTime: clock });
    if (!store.ok) throw new Error(store.error.message);
    return store.value;
  },
});
