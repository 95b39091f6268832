import { type Clock, domainError, err, ok, type Result, sleep } from "#base";
import type { Runtime } from "#compose";
import type { FlowResult, InterruptedOrder } from "#flow";
import { hasBegun } from "./has-begun.ts";

const everyMs = 250;
/** As long as anybody waits for a result over the network; the order itself is not bound by it. */
const mostMs = 60_000;

/**
 * An order that another server has. Once its start is on disk it is accepted here as it was there, and its result is
 * waited for; if that server died before, the order is free again when its time has run out.
 */
export async function awaitOrderElsewhere(
  begun: InterruptedOrder,
  sources: {
    readonly runtime: Runtime;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onBegun: () => void;
  },
): Promise<Result<FlowResult>> {
  const { runtime, clock, signal, onBegun } = sources;
  const until = clock.monotonic() + mostMs;
  let isBegun = false;
  while (clock.monotonic() < until) {
    const order = await runtime.store.findOrder(begun.work_order_id);
    if (!order.ok) return order;
    if (!order.value) return err(domainError("INTERRUPTED", `${begun.work_order_id} never began to act`));
    if (order.value.result !== null)
      return ok({ ...(JSON.parse(order.value.result) as FlowResult), deduplicated: true });
    if (!isBegun) {
      const found = await hasBegun(begun.session_id, runtime);
      if (!found.ok) return found;
      isBegun = found.value !== undefined;
      if (isBegun) onBegun();
      else {
        // Not accepted by anybody: whoever had it is at its first steps, or died there.
        const taken = await runtime.takeUpOrder(begun, { signal });
        if (taken.ok || taken.error.code !== "SESSION_BUSY") return taken;
      }
    }
    if (!(await sleep(clock, everyMs, signal))) break;
  }
  return err(domainError("SESSION_BUSY", `${begun.work_order_id} is under way in another process`));
}
