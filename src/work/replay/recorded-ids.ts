import { type IdSource, ok, type Result } from "#core/values";
import type { Event } from "#log";

/**
 * Agents keep their names when a session goes on, and so do the calls that an order itself makes: they are made in the same
 * order as before, and after those come new ones. A call under another name would be made twice.
 */
export function recordedIds(ids: IdSource, events: readonly Event[]): IdSource {
  const known = new Set<string>();
  for (const { type, payload } of events)
    if ((type === "wo.started" || type === "llm.request") && "agent_id" in payload && payload.agent_id !== undefined)
      known.add(payload.agent_id);
  const names = [...known];
  const calls = [...new Set(events.flatMap(callOfOrder))];
  return {
    ...ids,
    sortable: (prefix) => (prefix === "CALL" ? calls.shift() : undefined) ?? ids.sortable(prefix),
    agentId: (framework_id, work_order_id) =>
      (names.shift() as ReturnType<IdSource["agentId"]>) ?? ids.agentId(framework_id, work_order_id),
  };
}

function callOfOrder({ type, payload }: Event): readonly string[] {
  if (type !== "tool.invoke" && type !== "tool.refused") return [];
  return payload.call_id.startsWith("CALL-") ? [payload.call_id] : [];
}

/** The same for the orders that it hands down. */
export function recordedOrderIds(
  next: () => Promise<Result<string>>,
  events: readonly Event[],
): () => Promise<Result<string>> {
  const known = events
    .filter((event) => event.type === "delegation.made")
    .map(({ payload }) => payload.child_work_order_id);
  return async () => {
    const id = known.shift();
    return id === undefined ? next() : ok(id);
  };
}
