import { ask, change, type Statement, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { StoredMessage, ThreadHead, ThreadStore } from "./thread-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const add = sql("add-thread-message");
const lock = sql("lock-thread");
const begin = sql("begin-thread-message");
const confirm = sql("confirm-thread-message");
const wait = sql("wait-thread-message");
const remove = sql("remove-thread-message");
const take = sql("take-thread-message");
const withdraw = sql("withdraw-thread-message");
const read = sql("read-thread-messages");
const heads = sql("read-threads");
const waiting = sql("read-waiting-threads");

export function postgresThreads(tables: Tables): ThreadStore {
  const { tenant, postgres } = tables;
  /** One statement that may run twice: whether a row is as it should be is read from the answer. */
  const changes = (statement: Statement, ...values: readonly unknown[]) =>
    change(tables, async (transaction) => ok((await transaction.write(statement, [tenant, ...values])).length > 0));
  return {
    addMessage: ({ thread_id, message_id, position, session_id, waiting: text, sent_at, begun }) =>
      changes(add, thread_id, message_id, position, session_id, text, sent_at, begun),
    beginMessage: ({ thread_id, message_id, session_id, position }) =>
      change(tables, async (transaction) => {
        const locked = transaction.rows(lock, [tenant, thread_id]);
        const begun = transaction.write(begin, [tenant, thread_id, message_id, session_id, position]);
        await locked;
        return ok((await begun).length > 0);
      }),
    confirmMessage: ({ thread_id, message_id, session_id }) => changes(confirm, thread_id, message_id, session_id),
    dropMessage: ({ thread_id, message_id, session_id }) =>
      change(tables, async (transaction) => {
        const waits = transaction.write(wait, [tenant, thread_id, message_id, session_id]);
        const removed = transaction.write(remove, [tenant, thread_id, message_id, session_id]);
        return ok((await waits).length + (await removed).length > 0);
      }),
    takeMessage: ({ thread_id, message_id, session_id }) => changes(take, thread_id, message_id, session_id),
    withdrawMessage: (thread_id, message_id) => changes(withdraw, thread_id, message_id),
    messagesOf: (thread_id) =>
      ask(tables, async () => (await postgres.records(read, [tenant, thread_id])) as never as readonly StoredMessage[]),
    threads: (limit, after = { sent_at: "", thread_id: "" }) =>
      ask(
        tables,
        async () =>
          (await postgres.records(heads, [tenant, after.sent_at, after.thread_id, limit])) as never as ThreadHead[],
      ),
    waitingThreads: (limit) =>
      ask(tables, async () =>
        (await postgres.rows(waiting, [tenant, limit])).map(([thread_id]) => thread_id as string),
      ),
  };
}
