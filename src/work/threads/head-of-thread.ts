import { type DomainError, domainError } from "#core/errors";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import { type Event, startOf } from "#log";
import { readEvents } from "../replay/read-events.ts";
import type { StoredMessage } from "./store/thread-store.ts";
import { firstSessionOf, messageOf } from "./thread-id.ts";
import type { ThreadSources } from "./thread-sources.ts";

/** The last message of a thread that an order carries out or carried out. */
export interface Head {
  readonly position: number;
  readonly session_id: SessionId;
  readonly message_id: string;
  readonly state: "never began" | "open" | "closed";
  readonly events: readonly Event[];
}

/** Undefined for a thread without a message. A request that was no thread before is its first. */
export async function headOfThread(
  sources: Pick<ThreadSources, "log">,
  thread_id: string,
  messages: readonly StoredMessage[],
): Promise<Result<Head | undefined>> {
  const last = messages.findLast(({ position }) => position !== null);
  const session_id = last?.session_id ?? firstSessionOf(thread_id);
  if (session_id === undefined || !isSessionId(session_id)) return err(noThread(thread_id));
  const events = await readEvents(sources.log, session_id);
  if (!events.ok && events.error.code !== "NOT_FOUND") return events;
  const recorded = events.ok ? events.value : [];
  if (recorded.length === 0 && !last) return ok(undefined);
  return ok({
    position: last?.position ?? 1,
    session_id,
    message_id: last?.message_id ?? messageOf(startOf(recorded).work_order_id),
    state: stateOf(recorded),
    events: recorded,
  });
}

function stateOf(events: readonly Event[]): Head["state"] {
  if (events.length === 0) return "never began";
  return events.some(({ type }) => type === "session.close") ? "closed" : "open";
}

export function noThread(thread_id: string): DomainError {
  return domainError("NOT_FOUND", `there is no thread ${thread_id}`, {
    details: {
      thread_id,
      hint: "`writ chat` begins one; `writ session list` shows the requests that can be continued",
    },
  });
}
