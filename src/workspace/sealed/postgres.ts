import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { SealedRow, SealedValueStore } from "./sealed-value-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const put = sql("put-sealed-value");
const drop = sql("drop-expired-values");
const find = sql("find-sealed-values");

export function postgresSealedValues(tables: Tables): SealedValueStore {
  const { tenant, postgres } = tables;
  return {
    putSealed: (rows) =>
      change<void>(tables, async (transaction) => {
        for (const { session_id, tag, kind, origin, sealed, expires_at } of rows)
          await transaction.write(put, [tenant, session_id, tag, kind, origin, sealed, expires_at]);
        return ok(undefined);
      }),
    findSealed: (session_id, tags, now) =>
      ask(tables, async () => {
        await postgres.rows(drop, [tenant, now]);
        const rows = await postgres.rows(find, [tenant, session_id, [...tags]]);
        return rows.map(([tag, kind, origin, sealed, expires_at]) => {
          const row: SealedRow = {
            session_id,
            tag: tag as string,
            kind: kind as string,
            origin: origin as string,
            sealed: sealed as string,
            expires_at: expires_at as string,
          };
          return row;
        });
      }),
  };
}
