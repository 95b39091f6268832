import { type InsertRows, type Migration, orUnavailable, type Sqlite } from "#core/database";
import type { StoredMessage, ThreadHead, ThreadStore } from "./thread-store.ts";

export const threadMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "thread-messages",
    sql: `
      CREATE TABLE thread_messages (
        tenant_id TEXT NOT NULL,
        thread_id TEXT NOT NULL,
        message_id TEXT NOT NULL,
        position INTEGER,
        session_id TEXT,
        waiting TEXT,
        sent_at TEXT NOT NULL,
        begun INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant_id, thread_id, message_id)
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX thread_positions ON thread_messages (tenant_id, thread_id, position) WHERE position IS NOT NULL;
      CREATE INDEX threads_newest ON thread_messages (tenant_id, sent_at DESC, thread_id DESC) WHERE position IS NOT NULL;
      CREATE INDEX threads_waiting ON thread_messages (tenant_id, thread_id) WHERE session_id IS NULL;
    `,
  },
];

type Row = Omit<StoredMessage, "begun"> & { readonly begun: number };

const columns = "thread_id, message_id, position, session_id, waiting, sent_at, begun";

const guarded = orUnavailable("the threads could not be kept");

export function sqliteThreads(database: Sqlite, tenant: string): ThreadStore {
  const mine = "tenant_id = ? AND thread_id = ? AND message_id = ?";
  const add = database.prepare(
    `INSERT INTO thread_messages (tenant_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const begin = database.prepare(
    `UPDATE OR IGNORE thread_messages SET position = ?, session_id = ? WHERE ${mine} AND session_id IS NULL`,
  );
  const confirm = database.prepare(
    `UPDATE thread_messages SET begun = 1, waiting = NULL WHERE ${mine} AND session_id = ? AND position IS NOT NULL`,
  );
  const wait = database.prepare(
    `UPDATE thread_messages SET position = NULL, session_id = NULL
     WHERE ${mine} AND session_id = ? AND begun = 0 AND waiting IS NOT NULL`,
  );
  const remove = database.prepare(
    `DELETE FROM thread_messages WHERE ${mine} AND session_id = ? AND begun = 0 AND waiting IS NULL`,
  );
  const take = database.prepare(
    `UPDATE thread_messages SET session_id = ?, waiting = NULL, begun = 1 WHERE ${mine} AND session_id IS NULL`,
  );
  const withdraw = database.prepare(`DELETE FROM thread_messages WHERE ${mine} AND session_id IS NULL`);
  const read = database.prepare<[string, string], Row>(
    `SELECT ${columns} FROM thread_messages WHERE tenant_id = ? AND thread_id = ?
     ORDER BY position IS NULL, position, sent_at, message_id`,
  );
  const heads = database.prepare<[string, string, string, string, number], ThreadHead>(
    `SELECT thread_id, message_id, position, session_id, sent_at FROM thread_messages AS head
     WHERE tenant_id = ? AND position IS NOT NULL AND (? = '' OR (sent_at, thread_id) < (?, ?))
       AND position = (SELECT max(position) FROM thread_messages AS later
                       WHERE later.tenant_id = head.tenant_id AND later.thread_id = head.thread_id AND position IS NOT NULL)
     ORDER BY sent_at DESC, thread_id DESC LIMIT ?`,
  );
  const waiting = database.prepare<[string, number], { thread_id: string }>(
    `SELECT DISTINCT thread_id FROM thread_messages WHERE tenant_id = ? AND session_id IS NULL ORDER BY thread_id LIMIT ?`,
  );
  const drop = database.transaction((thread_id: string, message_id: string, session_id: string) => {
    const place = [tenant, thread_id, message_id, session_id] as const;
    return wait.run(...place).changes + remove.run(...place).changes > 0;
  });
  return {
    addMessage: ({ thread_id, message_id, position, session_id, waiting: text, sent_at, begun }) =>
      guarded(
        () => add.run(tenant, thread_id, message_id, position, session_id, text, sent_at, begun ? 1 : 0).changes > 0,
      ),
    beginMessage: ({ thread_id, message_id, session_id, position }) =>
      guarded(() => begin.run(position, session_id, tenant, thread_id, message_id).changes > 0),
    confirmMessage: ({ thread_id, message_id, session_id }) =>
      guarded(() => confirm.run(tenant, thread_id, message_id, session_id).changes > 0),
    dropMessage: ({ thread_id, message_id, session_id }) =>
      guarded(() => drop.immediate(thread_id, message_id, session_id)),
    takeMessage: ({ thread_id, message_id, session_id }) =>
      guarded(() => take.run(session_id, tenant, thread_id, message_id).changes > 0),
    withdrawMessage: (thread_id, message_id) => guarded(() => withdraw.run(tenant, thread_id, message_id).changes > 0),
    messagesOf: (thread_id) =>
      guarded(() => read.all(tenant, thread_id).map((row) => ({ ...row, begun: row.begun === 1 }))),
    threads: (limit, after) =>
      guarded(() => {
        const [sent_at, thread_id] = after ? [after.sent_at, after.thread_id] : ["", ""];
        return heads.all(tenant, sent_at, sent_at, thread_id, limit);
      }),
    waitingThreads: (limit) => guarded(() => waiting.all(tenant, limit).map((row) => row.thread_id)),
  };
}

/** Makes the table anew from what the events tell. */
export function rebuildThreads(insert: InsertRows, messages: readonly StoredMessage[]): void {
  insert(
    "thread_messages",
    columns.replaceAll(",", ""),
    messages.map((message) => ({ ...message, begun: message.begun ? 1 : 0 })),
  );
}
