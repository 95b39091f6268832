import type { Row } from "#core/database";

/**
 * Rows that come as one JSON array each. The client makes something of every column that a result describes, also where there is
 * no row: for the 21 of a run, which every transaction asks for, that was an eighth of what the process did for a single item.
 */
export function rowsFromJson(rows: readonly Row[]): readonly Row[] {
  return rows.map(([row]) => JSON.parse(row as string) as unknown[]);
}
