import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result, sleep } from "#core/values";
import type { LogReader } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { InterruptedOrder } from "../flow/order-book.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import { hasBegun } from "./has-begun.ts";
import type { OrderRunner } from "./order-runner.ts";

const everyMs = 250;
/** The longest wait for a result over the network; it does not end the order. */
const mostMs = 60_000;

/**
 * Waits for an order that another server runs. It is accepted here once its start is on disk. If that server died before,
 * this one takes the order up when the other's claim has expired.
 */
export async function awaitOrderElsewhere(
  begun: InterruptedOrder,
  sources: {
    readonly runner: Pick<OrderRunner, "resumeOrder">;
    readonly store: Pick<OrderStore, "findOrder">;
    readonly log: Pick<LogReader, "read">;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onBegun: () => void;
  },
): Promise<Result<FlowResult>> {
  const { runner, store, log, clock, signal, onBegun } = sources;
  const until = clock.monotonic() + mostMs;
  let isBegun = false;
  while (clock.monotonic() < until) {
    const order = await store.findOrder(begun.work_order_id);
    if (!order.ok) return order;
    if (!order.value) return err(domainError("INTERRUPTED", `${begun.work_order_id} never began to act`));
    if (order.value.result !== null)
      return ok({ ...(JSON.parse(order.value.result) as FlowResult), deduplicated: true });
    if (!isBegun) {
      const found = await hasBegun(begun.session_id, log);
      if (!found.ok) return found;
      isBegun = found.value !== undefined;
      if (isBegun) onBegun();
      else {
        // Not accepted yet: the process that claimed it is at its first steps, or died there.
        const taken = await runner.resumeOrder(begun, { signal });
        if (taken.ok || taken.error.code !== "SESSION_BUSY") return taken;
      }
    }
    if (!(await sleep(clock, everyMs, signal))) break;
  }
  return err(domainError("SESSION_BUSY", `${begun.work_order_id} is under way in another process`));
}
