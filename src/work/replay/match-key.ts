import { canonicalJson, sha256 } from "#core/values";
import { type Event, type EventKinds, type EventType, kindOf, type TypedPayload } from "#log";

/** What makes two events the same fact, recorded by two executions of one flow. */
export function matchKey<T extends EventType>({ type, payload }: TypedPayload<T>, kinds: EventKinds): string {
  const replay = kindOf(kinds, type)?.replay;
  return typeof replay === "function" ? `${type} ${replay(payload, digest)}` : type;
}

function digest(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** What no execution says again: the log's and other people's words, and what a request already carries with it. */
export function isBookkeeping(event: Event, reserved: ReadonlySet<unknown>, kinds: EventKinds): boolean {
  if (kindOf(kinds, event.type)?.replay === "never repeated") return true;
  if (event.type !== "budget.updated") return false;
  const { action, reservation_id = "" } = event.payload;
  return action === "reserve" && reserved.has(reservation_id.replace(/\/\d+$/, "")); // `/2` is a second attempt's
}
