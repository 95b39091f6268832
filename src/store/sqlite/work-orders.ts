import { type Clock, domainError, err, isoTime, messageOf, ok, type Result } from "#base";
import type { ClaimedOrder, FinishedOrder, OrderClaim, OrderClaimed } from "../shared-store.ts";
import type { Sqlite } from "./connection.ts";

export interface WorkOrders {
  claim(claims: readonly OrderClaim[]): Result<readonly OrderClaimed[]>;
  finish(finished: readonly FinishedOrder[]): Result<void>;
  forget(work_order_id: string): Result<void>;
  find(work_order_id: string): Result<ClaimedOrder | undefined>;
  unfinished(
    limit: number,
    after?: Pick<ClaimedOrder, "claimed_at" | "work_order_id">,
  ): Result<readonly ClaimedOrder[]>;
}

interface Row {
  readonly work_order_id: string;
  readonly order_hash: string;
  readonly session_id: string | null;
  readonly result: string | null;
}

export function workOrders(database: Sqlite, tenant: string, clock: Clock): WorkOrders {
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

  const claimOne = (claim: OrderClaim): OrderClaimed => {
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
    claim: (claims) => guarded(() => claim.immediate(claims)),
    finish: (finished) => guarded(() => finish.immediate(finished)),
    find: (work_order_id) => guarded(() => read.get(tenant, work_order_id)),
    unfinished: (limit, { claimed_at, work_order_id } = beforeAll) =>
      guarded(() => readUnfinished.all(tenant, claimed_at, work_order_id, limit)),
    forget: (work_order_id) => guarded(() => void drop.run(tenant, work_order_id)),
  };
}

const beforeAll = { claimed_at: "", work_order_id: "" };

function guarded<T>(work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `the work orders could not be kept: ${messageOf(thrown)}`, { cause: thrown }),
    );
  }
}
