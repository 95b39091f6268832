import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { ApiKeyStore, StoredApiKey } from "./api-key-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const read = sql("read-api-keys");
const add = sql("add-api-key");
const revoke = sql("revoke-api-key");

export function postgresApiKeys(tables: Tables): ApiKeyStore {
  const { tenant, postgres } = tables;
  const keys = async (key_id: string | null): Promise<readonly StoredApiKey[]> =>
    (await postgres.records(read, [tenant, key_id])).map(keyOf);
  return {
    apiKeys: () => ask(tables, () => keys(null)),
    findApiKey: (key_id) => ask(tables, async () => (await keys(key_id))[0]),
    addApiKey: (key) =>
      change(tables, async (transaction) => {
        const { key_id, key_sha256, caller_id, scope, note } = key;
        const { created_at, created_by, expires_at, revoked_at, revoked_by } = key;
        const scopes = scope && JSON.stringify(scope);
        const who = [key_id, key_sha256, caller_id, scopes, note];
        transaction.send(add, [tenant, ...who, created_at, created_by, expires_at, revoked_at, revoked_by]);
        return ok(undefined);
      }),
    revokeApiKey: (key_id, { revoked_at, revoked_by }) =>
      change(tables, async (transaction) => {
        const revoking = transaction.write(revoke, [tenant, key_id, revoked_at, revoked_by]);
        return ok((await revoking).length > 0);
      }),
  };
}

function keyOf(row: Readonly<Record<string, unknown>>): StoredApiKey {
  const scope = row["scope"];
  return { ...row, scope: typeof scope === "string" ? JSON.parse(scope) : null } as unknown as StoredApiKey;
}
