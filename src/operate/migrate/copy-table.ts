import { createHash } from "node:crypto";
import { type Postgres, postgresFailure, type Sqlite } from "#core/database";
import { domainError } from "#core/errors";
import { canonicalJson, err, type JsonValue, ok, type Result } from "#core/values";

/** A table that stands in both databases under the same name. */
export interface MovedTable {
  readonly name: string;
  /** Its columns without the tenant's, in both dialects the same. */
  readonly columns: readonly string[];
  /** What tells its rows apart, beside the tenant. */
  readonly key: readonly string[];
  /** Columns that are 0 and 1 there and truth here. */
  readonly truths?: readonly string[];
  /** Rows that came later come later here too. */
  readonly inOrderOf?: string;
}

export interface MovedRows {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

const atOnce = 500;

/**
 * Copies the rows that are not there yet and then compares all of them, read back from both sides. Interrupted anywhere, it
 * goes on where it was.
 */
export async function copyTable(
  source: Sqlite,
  target: Postgres,
  table: MovedTable,
): Promise<Result<MovedRows | undefined>> {
  const exists = source.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table.name);
  if (!exists) return ok(undefined); // made by an older Writ, which had no such table
  const { tenant } = target.address;
  const list = table.columns.map((column) => `"${column}"`).join(", ");
  const order = (table.inOrderOf ? [table.inOrderOf] : table.key).map((column) => `"${column}"`).join(", ");
  const insert = {
    name: "",
    text: `INSERT INTO "${table.name}" (tenant_id, ${list}) SELECT $1, ${list} FROM json_populate_recordset(NULL::"${table.name}", $2::json) WITH ORDINALITY ORDER BY ordinality ON CONFLICT DO NOTHING`,
  };
  const there = new RowHash();
  try {
    let batch: JsonValue[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await target.retrying(() => target.rows(insert, [tenant, JSON.stringify(batch)]));
      batch = [];
    };
    for (const row of source.prepare(`SELECT ${list} FROM "${table.name}" ORDER BY ${order}`).iterate()) {
      const moved = withTruths(row as Record<string, JsonValue>, table.truths ?? []);
      there.add(moved);
      batch.push(moved);
      if (batch.length >= atOnce) await flush();
    }
    await flush();
    const here = await readBack(target, table, list);
    if (here.rows !== there.rows || here.sum() !== there.sum())
      return err(
        domainError(
          "LEDGER_CORRUPT",
          `${table.name}: ${there.rows} rows were moved and ${here.rows} are there now, with other contents: somebody else writes to one of the two`,
          { details: { table: table.name } },
        ),
      );
    return ok({ table: table.name, rows: there.rows, sha256: there.sum() });
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}

async function readBack(target: Postgres, table: MovedTable, list: string): Promise<RowHash> {
  const hash = new RowHash();
  const key = table.key.map((column) => `"${column}"`).join(", ");
  const page = {
    name: "",
    text: `SELECT ${list} FROM "${table.name}" WHERE tenant_id = $1 ORDER BY ${key} LIMIT $2 OFFSET $3`,
  };
  for (let offset = 0; ; offset += 5_000) {
    const rows = await target.retrying(() => target.records(page, [target.address.tenant, 5_000, offset]));
    for (const row of rows) hash.add(row as Record<string, JsonValue>);
    if (rows.length < 5_000) return hash;
  }
}

function withTruths(row: Record<string, JsonValue>, truths: readonly string[]): Record<string, JsonValue> {
  const moved = { ...row };
  for (const column of truths) moved[column] = row[column] === 1;
  return moved;
}

/** The same for the same rows, in whatever order they come. */
class RowHash {
  rows = 0;
  readonly #sum = Buffer.alloc(32);

  add(row: Record<string, JsonValue>): void {
    this.rows += 1;
    const hash = createHash("sha256").update(canonicalJson(row)).digest();
    for (let index = 0, carry = 0; index < 32; index++) {
      const sum = (this.#sum[index] ?? 0) + (hash[index] ?? 0) + carry;
      this.#sum[index] = sum & 255;
      carry = sum >> 8;
    }
  }

  sum(): string {
    return this.#sum.toString("hex");
  }
}
