import { type Migration, migrationsBeside } from "#core/database";

/** The kernel's history of its tables. A released step is never edited; the next change is the next file. */
export const kernelMigrations: readonly Migration[] = migrationsBeside(import.meta.url, [
  "001_five-records",
  "002_machine-time",
]);
