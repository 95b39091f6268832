import { type InsertRows, orUnavailable, type Sqlite } from "#core/database";
import { type Clock, isoTime } from "#core/values";
import type {
  ClaimedOrder,
  FinishedOrder,
  OrderClaim,
  OrderClaimed,
  OrderStore,
  RecordedOrders,
} from "./order-store.ts";

interface Row {
  readonly work_order_id: string;
  readonly order_hash: string;
  readonly session_id: string | null;
  readonly result: string | null;
}

const guarded = orUnavailable("the work orders could not be kept");

export function sqliteWorkOrders(database: Sqlite, tenant: string, clock: Clock): OrderStore {
  const find = database.prepare<[string, string, string | null], Row>(
    `SELECT work_order_id, order_hash, session_id, result FROM work_orders
     WHERE tenant_id = ? AND (work_order_id = ? OR idempotency_key = ?) LIMIT 1`,
  );
  const insert = database.prepare(
    "INSERT INTO work_orders (tenant_id, work_order_id, idempotency_key, order_hash, claimed_at, session_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const keep = database.prepare(
    "UPDATE work_orders SET result = ? WHERE tenant_id = ? AND work_order_id = ? AND result IS NULL",
  );

  const drop = database.prepare("DELETE FROM work_orders WHERE tenant_id = ? AND work_order_id = ? AND result IS NULL");

  const read = database.prepare<[string, string], ClaimedOrder>(
    "SELECT work_order_id, session_id, claimed_at, result FROM work_orders WHERE tenant_id = ? AND work_order_id = ?",
  );
  const readUnfinished = database.prepare<[string, string, string, number], ClaimedOrder>(
    `SELECT work_order_id, session_id, claimed_at, result FROM work_orders
     WHERE tenant_id = ? AND result IS NULL AND (claimed_at, work_order_id) > (?, ?)
     ORDER BY claimed_at, work_order_id LIMIT ?`,
  );

  const takeNumbers = database.prepare<[string, string, number, number], { last_number: number }>(
    `INSERT INTO work_order_numbers (tenant_id, day, last_number) VALUES (?, ?, ?)
     ON CONFLICT (tenant_id, day) DO UPDATE SET last_number = last_number + ?
     RETURNING last_number`,
  );

  const release = database.prepare(
    `DELETE FROM work_orders WHERE tenant_id = ? AND work_order_id = ? AND (order_hash <> ? OR idempotency_key IS NULL)
     AND CASE WHEN result LIKE '{%' THEN json_extract(result, '$.status') END = 'rejected'`,
  );
  const claimOne = (claim: OrderClaim): OrderClaimed => {
    release.run(tenant, claim.work_order_id, claim.order_hash);
    const row = find.get(tenant, claim.work_order_id, claim.idempotency_key);
    if (!row) {
      insert.run(
        tenant,
        claim.work_order_id,
        claim.idempotency_key,
        claim.order_hash,
        isoTime(clock.now()),
        claim.session_id,
      );
      return { state: "new" };
    }
    const { work_order_id, session_id, result } = row;
    if (row.order_hash !== claim.order_hash) return { state: "different", work_order_id };
    return result === null ? { state: "running", work_order_id, session_id } : { state: "done", work_order_id, result };
  };
  const claim = database.transaction((claims: readonly OrderClaim[]) => claims.map(claimOne));
  const finish = database.transaction((finished: readonly FinishedOrder[]) => {
    for (const { work_order_id, result } of finished) keep.run(result, tenant, work_order_id);
  });
  return {
    takeWorkOrderNumbers: (day, count) =>
      guarded(() => (takeNumbers.get(tenant, day, count, count)?.last_number ?? count) - count + 1),
    claimOrders: (claims) => guarded(() => claim.immediate(claims)),
    finishOrders: (finished) => guarded(() => finish.immediate(finished)),
    findOrder: (work_order_id) => guarded(() => read.get(tenant, work_order_id)),
    unfinishedOrders: (limit, { claimed_at, work_order_id } = beforeAll) =>
      guarded(() => readUnfinished.all(tenant, claimed_at, work_order_id, limit)),
    forgetOrder: (work_order_id) => guarded(() => void drop.run(tenant, work_order_id)),
  };
}

const beforeAll = { claimed_at: "", work_order_id: "" };

/** Makes the tables anew from what the events tell. */
export function rebuildWorkOrders(insert: InsertRows, { numbers, orders }: RecordedOrders): void {
  insert(
    "work_order_numbers",
    "day last_number",
    [...numbers].map(([day, last_number]) => ({ day, last_number })),
  );
  insert("work_orders", "work_order_id idempotency_key order_hash claimed_at session_id result", orders);
}
