import { type ErrorCode, errorCodes } from "#core/errors";
import { type Event, type EventType } from "../event.ts";
import { type EventKinds, type TypedPayload } from "../event-kind.ts";
import { kindOf } from "../kind-of.ts";
import { isEvent } from "../narrow-event.ts";

/** A denial or a failure: what a reader looks for first in a long session. */
export function isProblem<T extends EventType>({ type, payload }: TypedPayload<T>, kinds: EventKinds): boolean {
  const problem = kindOf(kinds, type)?.isProblem ?? false;
  return typeof problem === "function" ? problem(payload) : problem;
}

/** A tool call that a rule refused, as opposed to one that failed. */
export function isRefusal(event: Event): boolean {
  if (!isEvent(event, "tool.result") || event.payload.status === "ok") return false;
  return errorCodes[event.payload.error?.code as ErrorCode]?.kind === "gate";
}
