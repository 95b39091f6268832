import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { CatalogStore } from "./catalog-store.ts";
import { rowOf, shownRow, valuesOf } from "./row-of.ts";

const sql = statementsBeside(import.meta.url, "shared");
const put = sql("put-catalogued");
const heads = sql("catalogued-heads");
const count = sql("count-catalogued");
const list = sql("list-catalogued");
const of = sql("catalogued-of");
const shadows = sql("catalogued-shadows");
const drop = sql("drop-catalogued");

/** Rows that one transaction writes. */
const atOnce = 200;

export function postgresCatalog(tables: Tables): CatalogStore {
  const { tenant, postgres } = tables;
  return {
    async putCatalogued(sessions) {
      for (let from = 0; from < sessions.length; from += atOnce) {
        const rows = sessions.slice(from, from + atOnce).map(rowOf);
        const written = await change(tables, async (transaction) => {
          for (const row of rows) await transaction.write(put, [tenant, ...row]);
          return ok(undefined);
        });
        if (!written.ok) return written;
      }
      return ok(undefined);
    },
    cataloguedHeads: () =>
      ask(
        tables,
        async () => new Map((await postgres.rows(heads, [tenant])).map(([id, head]) => [String(id), String(head)])),
      ),
    catalogued: (query) =>
      ask(tables, async () => {
        const values = [tenant, ...valuesOf(query)];
        const rows = await postgres.rows(list, [...values, query.sort, query.after, query.limit]);
        const [counted] = await postgres.rows(count, values);
        return { rows: rows.map(([info, shown]) => shownRow(info, shown)), total: Number(counted?.[0] ?? 0) };
      }),
    cataloguedOf: (ids) =>
      ask(tables, async () => (await postgres.rows(of, [tenant, ids])).map(([info, shown]) => shownRow(info, shown))),
    cataloguedShadows: (since) =>
      ask(tables, async () =>
        (await postgres.rows(shadows, [tenant, since])).map(([id, text]) => ({
          session_id: String(id),
          shadows: String(text),
        })),
      ),
    dropCatalogued: (ids) =>
      change(tables, async (transaction) => {
        await transaction.write(drop, [tenant, ids]);
        return ok(undefined);
      }),
  };
}
