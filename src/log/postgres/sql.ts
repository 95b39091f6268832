import { type Migration, migrationsBeside, type Statement, statementsBeside } from "#core/database";

/** The log's queries for PostgreSQL, each in its own file. */
export const sql: (name: string) => Statement = statementsBeside(import.meta.url, "log");

/** A released step is never edited; the next change is the next file. */
export const logMigrations: readonly Migration[] = migrationsBeside(import.meta.url, [
  "001_log",
  "002_anchors",
  "003_held-to-tenants",
]);
