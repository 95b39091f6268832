import { type ErrorCode, errorCodes } from "#base";
import { type Event, isEvent } from "#events";

const always: ReadonlySet<string> = new Set([
  "wo.failed",
  "wo.rejected",
  "tool.refused",
  "turn.failed",
  "turn.aborted",
  "turn.quarantined",
  "schema.violation",
  "llm.refused",
  "workflow.aborted",
]);

/** A denial or a failure, which readers look for first in a long session. */
export function isTrouble(event: Event): boolean {
  if (always.has(event.type)) return true;
  if (isEvent(event, "hook.fired")) return event.payload.decision === "deny" && event.payload.point !== "Stop"; // "deny" is Stop's normal end
  if (isEvent(event, "llm.response") || isEvent(event, "tool.result")) return event.payload.status !== "ok";
  return isEvent(event, "review.result") && event.payload.verdict !== "pass";
}

/** A tool call that a rule refused, as opposed to one that failed. */
export function isRefusal(event: Event): boolean {
  if (!isEvent(event, "tool.result") || event.payload.status === "ok") return false;
  return errorCodes[event.payload.error?.code as ErrorCode]?.kind === "gate";
}
