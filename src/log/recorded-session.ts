import type { Event } from "./event.ts";

/** A session and its events, for callers that rebuild the store from them. */
export interface RecordedSession {
  readonly session_id: string;
  readonly start: Event<"session.start">["payload"];
  readonly events: readonly Event[];
}

/** Acts of people and refused orders are recorded in sessions of their own; only flows are under a framework. */
export function isFlow({ start }: RecordedSession): boolean {
  return start.framework_id !== undefined;
}

/** In the order in which they happened, across sessions. Ids grow within a process. */
export function inOrder<T extends { readonly event: Event }>(recorded: readonly T[]): readonly T[] {
  return recorded.toSorted((a, b) => compare(a.event.ts, b.event.ts) || compare(a.event.id, b.event.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
