import type { Row } from "#core/database";
import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import { decideShare, microUsd } from "./decide-share.ts";
import type { OpenShare, ShareStore } from "./share-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const readShare = sql("read-share");
const lockPool = sql("lock-pool");
const putShare = sql("put-share");
const addToPool = sql("add-to-pool");
const readOpen = sql("open-shares");

/** Shares and the sum of each pool, changed together under the pool's lock. */
export function postgresBudgetShares(tables: Tables): ShareStore {
  const { tenant } = tables;
  return {
    takeBudgetShare: (asked, share) =>
      change(tables, async (transaction) => {
        const { session_id, work_order_id } = share;
        const read = () => transaction.rows(readShare, [tenant, session_id, work_order_id]);
        const poolOf = (row: Row | undefined) => (row ? (row[0] as string) : asked.pool_id);
        let [row] = await read();
        let locking = transaction.write(lockPool, [tenant, poolOf(row)]);
        if (!row) {
          // Behind the lock: another process may have taken the same share meanwhile, of this pool or of another.
          [row] = await read();
          if (poolOf(row) !== asked.pool_id) locking = transaction.write(lockPool, [tenant, poolOf(row)]);
        }
        const earlier = row && { tokens: row[1] as number, micro_usd: row[2] as number };
        const pool = { ...asked, pool_id: poolOf(row) };
        const [locked] = await locking;
        const sum = { tokens: locked?.[0] as number, micro_usd: locked?.[1] as number };
        const decided = decideShare(pool, share, { sum, earlier });
        if (!decided.ok) return decided;
        const { share: taken, change: more } = decided.value;
        transaction.send(putShare, [
          tenant,
          pool.pool_id,
          session_id,
          work_order_id,
          taken.tokens,
          taken.micro_usd,
          false,
        ]);
        transaction.send(addToPool, [tenant, pool.pool_id, more.tokens, more.micro_usd]);
        return ok(pool.pool_id);
      }),
    settleBudgetShare: (pool_id, share) =>
      change(tables, async (transaction) => {
        const { session_id, work_order_id, tokens } = share;
        const [row] = await transaction.rows(readShare, [tenant, session_id, work_order_id]);
        if (!row || row[0] !== pool_id || row[3] === true) return ok(undefined);
        const money = microUsd(share.usd);
        transaction.send(putShare, [tenant, pool_id, session_id, work_order_id, tokens, money, true]);
        transaction.send(addToPool, [tenant, pool_id, tokens - (row[1] as number), money - (row[2] as number)]);
        return ok(undefined);
      }),
    openBudgetShares: (session_id) =>
      ask(tables, async () =>
        (await tables.postgres.rows(readOpen, [tenant, session_id])).map(
          ([pool_id, work_order_id]) => ({ pool_id, work_order_id }) as OpenShare,
        ),
      ),
  };
}
