import type { Sqlite } from "./connection.ts";

/** Inserts rows into a table of the shared store; a row that exists is left as it is. */
export type InsertRows = (table: string, columns: string, rows: Iterable<object>) => void;

export function insertRowsInto(database: Sqlite, tenant: string): InsertRows {
  return (table, columns, rows) => {
    const names = columns.split(" ");
    const statement = database.prepare(
      `INSERT INTO ${table} (tenant_id, ${names.join(", ")}) VALUES (@tenant, @${names.join(", @")}) ON CONFLICT DO NOTHING`,
    );
    for (const row of rows) statement.run({ ...row, tenant });
  };
}
