import { type Migration, orUnavailable, type Sqlite } from "#core/database";
import type { RequestKeyClaim, RequestKeyClaimed, RequestKeyStore } from "./request-key-store.ts";

export const requestKeyMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "request-keys",
    sql: `
      CREATE TABLE request_keys (
        tenant_id TEXT NOT NULL,
        name TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        subject TEXT NOT NULL,
        claimed_at TEXT NOT NULL,
        status INTEGER,
        answer TEXT,
        PRIMARY KEY (tenant_id, name)
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    number: 2,
    name: "answered-keys-by-age",
    sql: "CREATE INDEX request_keys_answered ON request_keys (tenant_id, claimed_at) WHERE status IS NOT NULL;",
  },
];

interface Row {
  readonly request_hash: string;
  readonly subject: string;
  readonly claimed_at: string;
  readonly status: number | null;
  readonly answer: string | null;
}

const guarded = orUnavailable("the keys of requests could not be kept");

export function sqliteRequestKeys(database: Sqlite, tenant: string): RequestKeyStore {
  const find = database.prepare<[string, string], Row>(
    "SELECT request_hash, subject, claimed_at, status, answer FROM request_keys WHERE tenant_id = ? AND name = ?",
  );
  const insert = database.prepare(
    "INSERT INTO request_keys (tenant_id, name, request_hash, subject, claimed_at) VALUES (?, ?, ?, ?, ?)",
  );
  const keep = database.prepare("UPDATE request_keys SET status = ?, answer = ? WHERE tenant_id = ? AND name = ?");
  const refuse = database.prepare(
    "UPDATE request_keys SET status = 0 WHERE tenant_id = ? AND name = ? AND status IS NULL",
  );
  const claim = database.transaction((asked: RequestKeyClaim): RequestKeyClaimed => {
    const { name, request_hash, subject, claimed_at } = asked;
    const row = find.get(tenant, name);
    if (!row) {
      insert.run(tenant, name, request_hash, subject, claimed_at);
      return { state: "new", subject, claimed_at };
    }
    if (row.request_hash !== request_hash) return { state: "different" };
    if (row.status !== null && row.answer !== null) return { state: "done", status: row.status, answer: row.answer };
    return { state: "begun", subject: row.subject, claimed_at: row.claimed_at };
  });
  return {
    claimRequestKey: (asked) => guarded(() => claim.immediate(asked)),
    finishRequestKey: ({ name, status, answer }) => guarded(() => void keep.run(status, answer, tenant, name)),
    refuseRequestKey: (name) => guarded(() => void refuse.run(tenant, name)),
  };
}
