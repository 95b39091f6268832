import type { SchemaTypes } from "#core/contracts";
import { err, isSessionId, ok, type Result } from "#core/values";
import { type Event, startOf } from "#log";
import { readEvents } from "../replay/read-events.ts";
import { endOfOrder, resultOfRecord } from "../replay/result-of-record.ts";
import { headOfThread, noThread } from "./head-of-thread.ts";
import type { StoredMessage, ThreadStore } from "./store/thread-store.ts";
import { messageOf, orderOfMessage } from "./thread-id.ts";
import type { ThreadSources } from "./thread-sources.ts";
import { waitingOf } from "./waiting-message.ts";

type ThreadView = SchemaTypes["thread_v1"];
type MessageView = ThreadView["messages"][number];

/** The messages of a thread, the newest `most` of them: what was asked and what came of it, from the records. */
export async function viewThread(
  sources: Pick<ThreadSources, "log"> & { readonly store: Pick<ThreadStore, "messagesOf"> },
  thread_id: string,
  most: number,
): Promise<Result<ThreadView>> {
  const stored = await sources.store.messagesOf(thread_id);
  if (!stored.ok) return stored;
  const head = await headOfThread(sources, thread_id, stored.value);
  if (!head.ok) return head;
  if (!head.value) return err(noThread(thread_id));
  const rows = stored.value.length > 0 ? stored.value : [rowOfRequest(thread_id, head.value.events)];
  const messages: MessageView[] = [];
  let continues: string | null = null;
  const sessions = new Map<string, readonly Event[]>();
  for (const row of rows.slice(-most)) {
    const events = await eventsOf(sources, row.session_id, sessions);
    if (!events.ok) return events;
    if (row.position === 1 && events.value.length > 0) continues = startOf(events.value).continues ?? null;
    messages.push(viewMessage(row, events.value));
  }
  return ok({ thread_id, continues, length: rows.filter(({ position }) => position !== null).length, messages });
}

async function eventsOf(
  { log }: Pick<ThreadSources, "log">,
  session_id: string | null,
  known: Map<string, readonly Event[]>,
): Promise<Result<readonly Event[]>> {
  if (session_id === null || !isSessionId(session_id)) return ok([]);
  const read = known.get(session_id);
  if (read) return ok(read);
  const events = await readEvents(log, session_id);
  if (!events.ok && events.error.code !== "NOT_FOUND") return events;
  const found = events.ok ? events.value : [];
  known.set(session_id, found);
  return ok(found);
}

/** A request that no message has followed yet. */
function rowOfRequest(thread_id: string, events: readonly Event[]): StoredMessage {
  const { work_order_id } = startOf(events);
  const { session_id = "", ts: sent_at = "" } = events[0] ?? {};
  return {
    thread_id,
    message_id: messageOf(work_order_id),
    position: 1,
    session_id,
    waiting: null,
    sent_at,
    begun: true,
  };
}

function viewMessage(row: StoredMessage, events: readonly Event[]): MessageView {
  const { message_id, position, session_id, sent_at } = row;
  const base = { message_id, work_order_id: orderOfMessage(message_id), position, session_id, sent_at };
  const nothing = { text: null, answer: null, status: null };
  if (session_id === null) return { ...base, ...nothing, state: "waiting", ...byOf(waitingOf(row)?.caller_id) };
  if (position === null) {
    const taken = events.find((event) => event.type === "thread.message" && event.payload.message_id === message_id);
    const said = taken?.type === "thread.message" ? taken.payload : undefined;
    const words = { text: said?.text ?? null, ...attachedOf(said?.attachments) };
    return { ...base, ...nothing, state: "taken", ...byOf(said?.by), ...words };
  }
  const started = events.find((event) => event.type === "wo.started");
  const input = started?.payload.work_order["input"] as
    | { readonly prompt?: unknown; readonly attachments?: MessageView["attachments"] }
    | undefined;
  const asked = {
    ...byOf(started?.payload.caller_id),
    text: typeof input?.prompt === "string" ? input.prompt : null,
    ...attachedOf(input?.attachments),
  };
  const ended = endOfOrder(events);
  if (!ended) return { ...base, ...nothing, ...asked, state: "running" };
  const { response, status, error, error_code, undone } = resultOfRecord(session_id, events, ended);
  return {
    ...base,
    ...asked,
    state: "ended",
    answer: response,
    status,
    ...(error === null ? {} : { error: { code: error_code ?? "INTERNAL", message: error } }),
    ...(undone ? { undone } : {}),
  };
}

function attachedOf(attachments: MessageView["attachments"]): Pick<MessageView, "attachments"> {
  return Array.isArray(attachments) && attachments.length > 0 ? { attachments } : {};
}

function byOf(by: string | undefined): { readonly by?: string } {
  return by === undefined ? {} : { by };
}
