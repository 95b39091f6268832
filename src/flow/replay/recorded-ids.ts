import type { AgentId, IdSource } from "#base";
import type { Event } from "#events";

/** Agents keep their names when a session goes on: they are made in the same order as before, and after those come new ones. */
export function recordedIds(ids: IdSource, events: readonly Event[]): IdSource {
  const known = new Set<string>();
  for (const { type, payload } of events)
    if ((type === "wo.started" || type === "llm.request") && "agent_id" in payload && payload.agent_id !== undefined)
      known.add(payload.agent_id);
  const names = [...known];
  return {
    ...ids,
    agentId: (framework_id, work_order_id) => (names.shift() as AgentId) ?? ids.agentId(framework_id, work_order_id),
  };
}
