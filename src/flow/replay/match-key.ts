import { canonicalJson, sha256 } from "#base";
import type { Event, EventInput } from "#events";

/** What makes two events the same fact, told by two executions of one flow. Ids, times and durations are no part of it. */
export function matchKey({ type, payload }: Event | EventInput): string {
  switch (type) {
    case "budget.updated": {
      const { action, reservation_id, input_tokens } = payload;
      // A reservation that no request names was made just before the stop: the same call makes it again.
      if (action === "reserve") return `${type} reserve ${input_tokens}`;
      return action === "settle" ? `${type} settle ${reservation_id ?? ""}` : `${type} ${action}`;
    }
    case "agent.transition": {
      const { from, to } = payload;
      return `${type} ${from} ${to}`;
    }
    case "approval.requested":
    case "approval.decided":
      return `${type} ${payload.approval_id}`;
    case "worker.step":
      return `${type} ${payload.step_id}`;
    case "tool.refused":
      return `${type} ${payload.call_id}`;
    case "llm.refused": {
      const { role, code } = payload;
      return `${type} ${role} ${code}`;
    }
    case "skill.invoke":
    case "skill.complete":
      return `${type} ${payload.skill}`;
    case "skill.skipped":
      return `${type} ${payload.path}`;
    case "schema.violation": {
      const { schema_id, where } = payload;
      return `${type} ${schema_id} ${where}`;
    }
    case "scaffold.report":
      return `${type} ${sha256(canonicalJson(payload.report))}`;
    case "delegation.made":
    case "delegation.ended":
      return `${type} ${payload.child_work_order_id}`;
    case "context.compacted":
      return `${type} ${payload.before_hash}`;
    default:
      return type;
  }
}

const notRepeated: ReadonlySet<string> = new Set([
  "session.start",
  "session.close",
  "session.resumed",
  "session.halted",
  "log.recovered",
  "event.amended",
  "llm.response",
  "llm.attempt",
]);

/** What no execution says again: the log's and other people's words, and what a request already carries with it. */
export function isBookkeeping(event: Event, reserved: ReadonlySet<unknown>): boolean {
  if (notRepeated.has(event.type)) return true;
  if (event.type !== "budget.updated") return false;
  const { action, reservation_id } = event.payload;
  return action === "reserve" && reserved.has(reservation_id);
}
