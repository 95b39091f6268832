import { type Event, inOrder, isEvent, type RecordedSession } from "#log";
import { firstSessionOf, messageOf } from "../thread-id.ts";
import type { StoredMessage } from "./thread-store.ts";

/** The threads as their sessions record them. A message that waited is lost with the store: no session had recorded it. */
export class ThreadsFromEvents {
  readonly #found: { readonly event: Event; readonly message: StoredMessage }[] = [];
  /** The first event of every session, for a request that became a thread when it was continued. */
  readonly #first = new Map<string, { readonly event: Event; readonly work_order_id: string }>();

  read({ session_id, start, events }: RecordedSession): void {
    const [event] = events;
    if (!event) return;
    this.#first.set(session_id, { event, work_order_id: start.work_order_id });
    const { thread_id, thread_position: position, message_id = messageOf(start.work_order_id) } = start;
    if (thread_id === undefined || position === undefined) return;
    this.#add(event, { thread_id, message_id, position, session_id });
    for (const each of events)
      if (isEvent(each, "thread.message")) this.#add(each, { ...each.payload, position: null, session_id });
  }

  rebuilt(): readonly StoredMessage[] {
    const messages = inOrder(this.#found).map(({ message }) => message);
    const begun = new Set(messages.filter(({ position }) => position === 1).map(({ thread_id }) => thread_id));
    for (const thread_id of new Set(messages.map((message) => message.thread_id))) {
      const first = this.#first.get(firstSessionOf(thread_id) ?? "");
      if (begun.has(thread_id) || !first) continue;
      const { event, work_order_id } = first;
      messages.push(
        rowOf(event, { thread_id, message_id: messageOf(work_order_id), position: 1, session_id: event.session_id }),
      );
    }
    return messages;
  }

  #add(event: Event, place: Place): void {
    this.#found.push({ event, message: rowOf(event, place) });
  }
}

type Place = Pick<StoredMessage, "thread_id" | "message_id" | "position" | "session_id">;

function rowOf({ ts }: Event, { thread_id, message_id, position, session_id }: Place): StoredMessage {
  return { thread_id, message_id, position, session_id, waiting: null, sent_at: ts, begun: true };
}
