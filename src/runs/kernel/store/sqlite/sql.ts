import { readFileSync } from "node:fs";
import type { Statement } from "better-sqlite3";
import type { Sqlite } from "#core/database";

const read = new Map<string, string>();

/** Reads a query from its own file, once; the files lie beside this one, in src/ and in dist/. */
export function sql(name: string): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`./queries/${name}.sql`, import.meta.url), "utf8");
  read.set(name, text);
  return text;
}

/** Rows come as arrays in the order of the query's columns: half the cost of objects on the hot path. */
export function rowsOf(database: Sqlite, name: string): Statement<unknown[], unknown[]> {
  return database.prepare<unknown[], unknown[]>(sql(name)).raw(true);
}

export function writeOf(database: Sqlite, name: string): Statement {
  return database.prepare(sql(name));
}
