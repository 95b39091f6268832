import { readFileSync } from "node:fs";
import { type Migration, type Statement, statementsBeside } from "#core/database";

/** The log's queries for PostgreSQL, each in its own file. */
export const sql: (name: string) => Statement = statementsBeside(import.meta.url, "log");

const steps = ["001_log", "002_anchors", "003_held-to-tenants"] as const;

/** A released step is never edited; the next change is the next file. */
export const logMigrations: readonly Migration[] = steps.map((name, index) => ({
  number: index + 1,
  name,
  sql: readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), "utf8"),
}));
