import { ok, type Result, type SessionId } from "#core/values";
import type { Event, LogReader } from "#log";
import { foldBudget } from "./fold-budget.ts";
import type { ShareStore } from "./store/share-store.ts";

/**
 * Settles the shares of sessions whose process died, from their own events: the recorded spending, and in full every
 * reservation that was never settled, since its cost is unknown. The rest is free again.
 */
export async function settleDeadSessions(
  sessions: readonly { readonly session_id: SessionId }[],
  log: LogReader,
  store: ShareStore,
): Promise<Result<void>> {
  for (const { session_id } of sessions) {
    const open = await store.openBudgetShares(session_id);
    if (!open.ok) return open;
    if (open.value.length === 0) continue;
    const events: Event[] = [];
    for await (const event of log.read(session_id)) {
      if (!event.ok) return event;
      events.push(event.value);
    }
    for (const { pool_id, work_order_id } of open.value) {
      const status = foldBudget(events, work_order_id);
      const tokens = status ? status.spent.input_tokens + status.spent.output_tokens + status.reserved.tokens : 0;
      const usd = status ? status.spent.usd + status.reserved.usd : 0;
      const settled = await store.settleBudgetShare(pool_id, { session_id, work_order_id, tokens, usd });
      if (!settled.ok) return settled;
    }
  }
  return ok(undefined);
}
