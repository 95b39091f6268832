import { type ErrorCode, errorCodes } from "#base";
import { type Event, type EventKinds, type EventType, isEvent, kindOf, type Told } from "#events";

/** A denial or a failure: what a reader looks for first in a long session. */
export function isProblem<T extends EventType>({ type, payload }: Told<T>, kinds: EventKinds): boolean {
  const problem = kindOf(kinds, type)?.isProblem ?? false;
  return typeof problem === "function" ? problem(payload) : problem;
}

/** A tool call that a rule refused, as opposed to one that failed. */
export function isRefusal(event: Event): boolean {
  if (!isEvent(event, "tool.result") || event.payload.status === "ok") return false;
  return errorCodes[event.payload.error?.code as ErrorCode]?.kind === "gate";
}
