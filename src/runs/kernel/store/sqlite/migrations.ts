import { readFileSync } from "node:fs";
import type { Migration } from "#core/database";

const steps = ["001_five-records"] as const;

/** The kernel's history of its tables. A released step is never edited; the next change is the next file. */
export const kernelMigrations: readonly Migration[] = steps.map((name, index) => ({
  number: index + 1,
  name,
  sql: readFileSync(new URL(`./migrations/${name}.sql`, import.meta.url), "utf8"),
}));
