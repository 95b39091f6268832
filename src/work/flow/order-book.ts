import { type DomainError, domainError } from "#core/errors";
import { type Answer, err, ok, type Result, type SessionId } from "#core/values";
import type { OrderClaim, OrderClaimed, OrderStore } from "../orders/store/order-store.ts";
import type { FlowResult } from "./execution-context.ts";

/** Ensures that an order acts once, however often it is submitted. */
export interface OrderBook {
  /** "new" when this submission may act; otherwise the first submission's result, or why it is not available. */
  claim(claim: OrderClaim): Promise<Result<"new" | FlowResult>>;
  finish(work_order_id: string, result: FlowResult): Promise<Result<void>>;
  /** The order stopped without an end: callers in this process that wait for it get this result; the final one is still to come. */
  stopped(work_order_id: string, result: FlowResult): void;
  /** Releases an order that never began to act: it may be submitted again. */
  forget(work_order_id: string): Answer<void>;
}

/** An order that was begun and has no result: another process runs it, or that process died. */
export interface InterruptedOrder {
  readonly work_order_id: string;
  readonly session_id: SessionId;
}

type Waiting<T, R> = { readonly item: T; readonly settle: (result: Result<R>) => void };

/** Concurrent claims share one transaction and so one sync: flows that start together do not queue for the disk. */
export function createOrderBook(store: OrderStore): OrderBook {
  const running = new Map<string, Promise<FlowResult>>();
  const finishers = new Map<string, (result: FlowResult) => void>();
  const claims = grouped<OrderClaim, OrderClaimed>((items) => store.claimOrders(items));
  const results = grouped<{ readonly work_order_id: string; readonly result: string }, undefined>(async (items) => {
    const kept = await store.finishOrders(items);
    return kept.ok ? ok(items.map(() => undefined)) : kept;
  });

  const tell = (work_order_id: string, result: FlowResult) => {
    finishers.get(work_order_id)?.(result);
    finishers.delete(work_order_id);
    running.delete(work_order_id);
  };

  return {
    stopped: tell,
    forget: (work_order_id) => store.forgetOrder(work_order_id),
    async claim(claim) {
      const claimed = await claims(claim);
      if (!claimed.ok) return claimed;
      switch (claimed.value.state) {
        case "new":
          running.set(claim.work_order_id, new Promise((resolve) => finishers.set(claim.work_order_id, resolve)));
          return ok("new");
        case "done":
          return ok({ ...(JSON.parse(claimed.value.result) as FlowResult), deduplicated: true });
        case "running": {
          const here = running.get(claimed.value.work_order_id);
          return here ? ok({ ...(await here), deduplicated: true }) : err(interrupted(claimed.value));
        }
        case "different":
          return err(
            domainError(
              "WORK_ORDER_INVALID",
              `${claimed.value.work_order_id} was submitted before with another content; a new order needs an id (and an idempotency key) of its own`,
            ),
          );
      }
    },
    async finish(work_order_id, result) {
      const kept = await results({ work_order_id, result: JSON.stringify(result) });
      tell(work_order_id, result);
      return kept.ok ? ok(undefined) : kept;
    },
  };
}

/** The order and session that another process began, from an error of `claim`; undefined for any other error. */
export function interruptedOrder({ code, details }: DomainError): InterruptedOrder | undefined {
  const { work_order_id, session_id } = details;
  if (code !== "SESSION_BUSY" || typeof work_order_id !== "string" || typeof session_id !== "string") return undefined;
  return { work_order_id, session_id: session_id as SessionId };
}

function interrupted({
  work_order_id,
  session_id,
}: {
  readonly work_order_id: string;
  readonly session_id: string | null;
}): DomainError {
  return domainError(
    "SESSION_BUSY",
    `${work_order_id} was begun by another process (session ${session_id ?? "unknown"}) and has no result yet: it is still at work, or was interrupted and goes on with \`writ session resume\``,
    { details: { work_order_id, session_id } },
  );
}

/** Collects the items of the current tick and handles them in one call. */
function grouped<T, R>(work: (items: readonly T[]) => Answer<readonly R[]>): (item: T) => Promise<Result<R>> {
  let waiting: Waiting<T, R>[] = [];
  const run = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    const done = await work(batch.map(({ item }) => item));
    // One of them cannot be stored: each is tried alone, so that only that one fails.
    if (!done.ok && done.error.code === "MALFORMED_INPUT" && batch.length > 1) {
      for (const { item, settle } of batch) {
        const alone = await work([item]);
        settle(alone.ok ? ok(alone.value[0] as R) : alone);
      }
      return;
    }
    for (const [index, { settle }] of batch.entries()) settle(done.ok ? ok(done.value[index] as R) : done);
  };
  return (item) =>
    new Promise((settle) => {
      if (waiting.length === 0) setImmediate(() => void run());
      waiting.push({ item, settle });
    });
}
