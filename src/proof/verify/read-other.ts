import type { SessionId } from "#core/values";
import type { Event, EventType, LogReader } from "#log";
import type { ReadOther } from "./verify-session.ts";

/** Requests, orders, calls and decisions of a session: other sessions rest on nothing else. */
const kept: ReadonlySet<EventType> = new Set([
  "session.start",
  "wo.started",
  "thread.message",
  "tool.invoke",
  "tool.result",
  "tool.output",
  "turn.committed",
  "delegation.made",
  "delegation.ended",
  "approval.requested",
  "approval.decided",
]);
const mostSessions = 64;
const mostEvents = 1_000;

/** Reads the sessions on which others rest. Sessions of one thread rest on the same ones, so the last few are kept. */
export function readingOthers(reader: Pick<LogReader, "read">): ReadOther {
  const last = new Map<SessionId, readonly Event[]>();
  return async (session_id) => {
    const before = last.get(session_id);
    if (before) return before;
    const events: Event[] = [];
    for await (const event of reader.read(session_id)) {
      if (!event.ok) return undefined;
      if (kept.has(event.value.type)) events.push(event.value);
    }
    if (events.length <= mostEvents) last.set(session_id, events);
    const [oldest] = last.keys();
    if (last.size > mostSessions && oldest !== undefined) last.delete(oldest);
    return events;
  };
}
