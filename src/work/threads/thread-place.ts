import type { Result } from "#core/values";
import type { Event } from "#log";
import { threadOf } from "./thread-id.ts";

/** Where in a thread a session stands, as `session.start` records it. */
export interface ThreadPlace {
  /** Undefined for a fork, which begins a thread of its own. */
  readonly thread_id?: string;
  readonly position: number;
  readonly message_id?: string;
  readonly continues?: string;
  /** Of the conversation at the end of that session. */
  readonly conversation_hash?: string;
  /** Once the session is on disk: whether the message is still this session's to carry out. */
  readonly confirm?: () => Promise<Result<void>>;
  /** What the session recorded before it was resumed. */
  readonly recorded?: readonly Event[];
  /** What the agent was sent in the session from which this one was forked. */
  readonly taken?: readonly Event<"thread.message">[];
}

/** The place that a session was given when it began. */
function placeOfRecord(events: readonly Event[]): ThreadPlace | undefined {
  const start = events.find((event) => event.type === "session.start");
  if (start?.payload.thread_id === undefined) return undefined;
  const { thread_id, thread_position: position = 1, message_id, continues, conversation_hash } = start.payload;
  return {
    thread_id,
    position,
    recorded: events,
    ...(message_id === undefined ? {} : { message_id }),
    ...(continues === undefined ? {} : { continues }),
    ...(conversation_hash === undefined ? {} : { conversation_hash }),
  };
}

/** The place of a session that begins, or of one that goes on. A fork begins a thread of its own, which bears its name. */
export function placeOfFlow(
  wanted: ThreadPlace | undefined,
  session_id: string,
  before: readonly Event[] | undefined,
): ThreadPlace | undefined {
  if (before) return placeOfRecord(before);
  return wanted && { ...wanted, thread_id: wanted.thread_id ?? threadOf(session_id) };
}

/** A fork has the conversation of its parent behind it, in a thread of its own. */
export function placeOfFork(events: readonly Event[]): ThreadPlace | undefined {
  const place = placeOfRecord(events);
  const taken = events.filter((event) => event.type === "thread.message");
  if (!place) return undefined;
  const { continues, conversation_hash } = place;
  return {
    position: 1,
    taken,
    ...(continues === undefined ? {} : { continues }),
    ...(conversation_hash === undefined ? {} : { conversation_hash }),
  };
}
