import { rateMigrations } from "#agents";
import type { Sqlite } from "#core/database";
import { migrate } from "#core/database";
import type { Clock, Result } from "#core/values";
import { approvalMigrations, grantMigrations, requestKeyMigrations } from "#people";
import { catalogMigrations } from "#proof";
import { haltMigrations, threadMigrations } from "#work";
import { sealedMigrations } from "#workspace";
import { sharedMigrations } from "./shared-migrations.ts";

/** One workspace is one tenant; a server on PostgreSQL has many. */
export const tenant = "local";

/** Each part has tables of its own, and a history of its own. */
const components = {
  shared: sharedMigrations,
  requests: requestKeyMigrations,
  rates: rateMigrations,
  approvals: approvalMigrations,
  grants: grantMigrations,
  sealed: sealedMigrations,
  threads: threadMigrations,
  halts: haltMigrations,
  catalog: catalogMigrations,
};

/** Brings the tables that processes share up to date. */
export function migrateShared(database: Sqlite, clock: Clock): Result<void> {
  return migrate(database, components, clock);
}
