import type { Row } from "#core/database";
import { ask, change, statementsBeside, type Tables } from "#core/database";
import { isoTime, ok } from "#core/values";
import type { OrderClaim, OrderClaimed, OrderStore } from "./order-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const takeNumbers = sql("take-work-order-numbers");
const releaseRejected = sql("release-rejected-orders");
const claimOrders = sql("claim-orders");
const findOrders = sql("find-orders");
const finishOrders = sql("finish-orders");
const forgetOrder = sql("forget-order");
const findOrder = sql("find-order");
const unfinishedOrders = sql("unfinished-orders");

export function postgresWorkOrders(tables: Tables): OrderStore {
  const { tenant, clock, postgres } = tables;
  return {
    findOrder: (work_order_id) =>
      ask(tables, async () => (await postgres.records(findOrder, [tenant, work_order_id]))[0] as never),
    unfinishedOrders: (limit, { claimed_at, work_order_id } = { claimed_at: "", work_order_id: "" }) =>
      ask(
        tables,
        async () => (await postgres.records(unfinishedOrders, [tenant, claimed_at, work_order_id, limit])) as never,
      ),
    // A retry skips some numbers; no order ever gets a skipped one.
    takeWorkOrderNumbers: (day, count) =>
      ask(tables, async () => {
        const [row] = await postgres.rows(takeNumbers, [tenant, day, count]);
        return (row?.[0] as number) - count + 1;
      }),
    claimOrders: (claims) =>
      change(tables, async (transaction) => {
        // In one order everywhere, so that two batches never wait for each other.
        const sorted = claims.toSorted((a, b) => (a.work_order_id < b.work_order_id ? -1 : 1));
        const ids = sorted.map((claim) => claim.work_order_id);
        const keys = sorted.map((claim) => claim.idempotency_key);
        const hashes = sorted.map((claim) => claim.order_hash);
        transaction.send(releaseRejected, [tenant, ids, hashes]);
        const claiming = transaction.write(claimOrders, [
          tenant,
          isoTime(clock.now()),
          ids,
          keys,
          hashes,
          sorted.map((claim) => claim.session_id),
        ]);
        const finding = transaction.rows(findOrders, [tenant, ids, keys.filter((key) => key !== null)]);
        const fresh = new Set((await claiming).map(([id]) => id as string));
        const known = await finding;
        return ok(claims.map((claim) => claimed(claim, fresh, known)));
      }),
    finishOrders: (finished) =>
      ask(tables, async () => {
        await postgres.rows(finishOrders, [
          tenant,
          finished.map((order) => order.work_order_id),
          finished.map((order) => order.result),
        ]);
      }),
    forgetOrder: (work_order_id) =>
      ask(tables, async () => {
        await postgres.rows(forgetOrder, [tenant, work_order_id]);
      }),
  };
}

/** Of several claims on one order in a batch, the first is the new one. */
function claimed(claim: OrderClaim, fresh: Set<string>, known: readonly Row[]): OrderClaimed {
  if (fresh.delete(claim.work_order_id)) return { state: "new" };
  const row = known.find(([id, key]) => id === claim.work_order_id || (key !== null && key === claim.idempotency_key));
  const [id, , hash, session_id, result] = (row ?? []) as readonly (string | null)[];
  const work_order_id = id ?? claim.work_order_id;
  if (hash !== claim.order_hash) return { state: "different", work_order_id };
  if (result === null || result === undefined)
    return { state: "running", work_order_id, session_id: session_id ?? null };
  return { state: "done", work_order_id, result };
}
