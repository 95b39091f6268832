import { canonicalJson, ok, type SessionId } from "#core/values";
import { type Event, type EventLog, eventsOf } from "#log";
import type { ResumeChild } from "../flow/flow.ts";
import { readEvents } from "./read-events.ts";
import { endOfOrder, resultOfRecord } from "./result-of-record.ts";
import { didOfRecord } from "./resume-child.ts";

/**
 * The orders that a fork hands down again, answered from what became of its parent's: in the same order, and only where the
 * same is asked. Nothing is paid for twice; what the parent had not seen by then runs.
 */
export function forkedChildren(log: Pick<EventLog, "read" | "locate">, past: readonly Event[]): ResumeChild {
  const made = eventsOf(past, "delegation.made");
  const ended = eventsOf(past, "delegation.ended");
  let next = 0;
  return async (child, { parent }) => {
    const before = made[next++]?.payload.child_work_order_id;
    const seen = ended.find(({ payload }) => payload.child_work_order_id === before)?.payload.child_session_id;
    if (seen == null) return ok(child);
    const events = await readEvents(log, seen as SessionId);
    if (!events.ok) return events;
    const started = events.value.find((event) => event.type === "wo.started");
    const asked = (started?.payload.work_order as { readonly input?: unknown } | undefined)?.input;
    if (canonicalJson(asked ?? null) !== canonicalJson(child.order.input ?? null)) return ok(child);
    parent.report(child.work_order_id, didOfRecord(events.value));
    const result = resultOfRecord(seen, events.value, endOfOrder(events.value));
    // Nothing is paid for twice: the fork's sum has what the fork itself spent.
    const { unpriced_models: _, over_budget: __, ...unpaid } = result;
    return ok({ ...unpaid, work_order_id: child.work_order_id, tokens_used: null, usd: 0 });
  };
}
