import { type InsertRows, orUnavailable, type Sqlite } from "#core/database";
import type { ApiKeyStore, StoredApiKey } from "./api-key-store.ts";

type Row = Omit<StoredApiKey, "scope"> & { readonly scope: string | null };

const columns =
  "key_id, key_sha256, caller_id, scope, note, created_at, created_by, expires_at, revoked_at, revoked_by";

const guarded = orUnavailable("the API keys cannot be reached");

export function sqliteApiKeys(database: Sqlite, tenant: string): ApiKeyStore {
  const all = database.prepare<[string], Row>(
    `SELECT ${columns} FROM api_keys WHERE tenant_id = ? ORDER BY created_at, key_id`,
  );
  const one = database.prepare<[string, string], Row>(
    `SELECT ${columns} FROM api_keys WHERE tenant_id = ? AND key_id = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO api_keys (tenant_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const revoke = database.prepare(
    "UPDATE api_keys SET revoked_at = ?, revoked_by = ? WHERE tenant_id = ? AND key_id = ? AND revoked_at IS NULL",
  );
  return {
    apiKeys: () => guarded(() => all.all(tenant).map(keyOf)),
    findApiKey: (key_id) =>
      guarded(() => {
        const row = one.get(tenant, key_id);
        return row && keyOf(row);
      }),
    addApiKey: (key) =>
      guarded(() => {
        const { key_id, key_sha256, caller_id, scope, note } = key;
        const { created_at, created_by, expires_at, revoked_at, revoked_by } = key;
        const scopes = scope && JSON.stringify(scope);
        insert.run(
          tenant,
          key_id,
          key_sha256,
          caller_id,
          scopes,
          note,
          created_at,
          created_by,
          expires_at,
          revoked_at,
          revoked_by,
        );
      }),
    revokeApiKey: (key_id, { revoked_at, revoked_by }) =>
      guarded(() => revoke.run(revoked_at, revoked_by, tenant, key_id).changes > 0),
  };
}

function keyOf({ scope, ...row }: Row): StoredApiKey {
  return { ...row, scope: scope === null ? null : (JSON.parse(scope) as readonly string[]) };
}

/** Makes the table anew from what the events tell. */
export function rebuildApiKeys(insert: InsertRows, keys: readonly StoredApiKey[]): void {
  insert(
    "api_keys",
    "key_id key_sha256 caller_id scope note created_at created_by expires_at revoked_at revoked_by",
    keys.map((key) => ({ ...key, scope: key.scope && JSON.stringify(key.scope) })),
  );
}
