import { readFileSync } from "node:fs";

/** One step of a database's history. Numbered from 1 without a gap; never edited after release. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The steps in their order, each read from its file under `migrations/` beside the file that lists them, in src/ and in dist/. */
export function migrationsBeside(where: string, names: readonly string[]): readonly Migration[] {
  return names.map((name, index) => ({
    number: index + 1,
    name,
    sql: readFileSync(new URL(`./migrations/${name}.sql`, where), "utf8"),
  }));
}
