import { type Migration, migrationsBeside } from "#core/database";

/** The kernel's history of its tables on PostgreSQL. A released step is never edited; the next change is the next file. */
export const kernelMigrations: readonly Migration[] = migrationsBeside(import.meta.url, [
  "001_five-records",
  "002_queues-of-their-own",
  "003_events-together",
  "004_open-work-by-blocks",
  "005_ready-work-together",
  "006_held-to-tenants",
]);
