import { readFileSync } from "node:fs";
import type { Migration } from "#core/database";

const steps = [
  "001_five-records",
  "002_queues-of-their-own",
  "003_events-together",
  "004_open-work-by-blocks",
  "005_ready-work-together",
  "006_held-to-tenants",
] as const;

/** The kernel's history of its tables on PostgreSQL. A released step is never edited; the next change is the next file. */
export const kernelMigrations: readonly Migration[] = steps.map((name, index) => ({
  number: index + 1,
  name,
  sql: readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), "utf8"),
}));
