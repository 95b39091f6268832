import { type Migration, orUnavailable, type Sqlite } from "#core/database";
import type { SealedRow, SealedValueStore } from "./sealed-value-store.ts";

export const sealedMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "sealed-values",
    sql: `
      CREATE TABLE sealed_values (
        tenant_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        tag TEXT NOT NULL,
        kind TEXT NOT NULL,
        origin TEXT NOT NULL,
        sealed TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        PRIMARY KEY (tenant_id, session_id, tag)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sealed_values_by_age ON sealed_values (tenant_id, expires_at);
    `,
  },
];

const guarded = orUnavailable("sealed values could not be reached");

export function sqliteSealedValues(database: Sqlite, tenant: string): SealedValueStore {
  const insert = database.prepare(
    `INSERT INTO sealed_values (tenant_id, session_id, tag, kind, origin, sealed, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, session_id, tag) DO UPDATE
     SET origin = excluded.origin, sealed = excluded.sealed, expires_at = excluded.expires_at WHERE excluded.expires_at > expires_at`,
  );
  const drop = database.prepare("DELETE FROM sealed_values WHERE tenant_id = ? AND expires_at <= ?");
  const find = database.prepare<[string, string, string], SealedRow>(
    `SELECT session_id, tag, kind, origin, sealed, expires_at FROM sealed_values
     WHERE tenant_id = ? AND session_id = ? AND tag = ?`,
  );
  const put = database.transaction((rows: readonly SealedRow[]): void => {
    for (const { session_id, tag, kind, origin, sealed, expires_at } of rows)
      insert.run(tenant, session_id, tag, kind, origin, sealed, expires_at);
  });
  return {
    putSealed: (rows) => guarded(() => put.immediate(rows)),
    findSealed: (session_id, tags, now) =>
      guarded(() => {
        drop.run(tenant, now);
        return tags.flatMap((tag) => find.get(tenant, session_id, tag) ?? []);
      }),
  };
}
