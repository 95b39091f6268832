import { domainError } from "#core/errors";
import { err, isoTime, ok, type Result, type SessionId } from "#core/values";
import { startOf } from "#log";
import { failedOrder } from "../orders/failed-order.ts";
import { orderInputOf } from "../orders/order-words.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import { readEvents } from "../replay/read-events.ts";
import { type Carried, carryMessage, carryStored } from "./carry-message.ts";
import { headOfThread, noThread } from "./head-of-thread.ts";
import { PartQueue } from "./part-queue.ts";
import { firstSessionOf, messageOf, threadOf } from "./thread-id.ts";
import type { ThreadSources } from "./thread-sources.ts";
import { viewThread } from "./thread-view.ts";
import type { AcceptedMessage, SendOptions, SentMessage, Thread, Threads } from "./threads.ts";

/** Messages that a look at a thread shows. */
const mostShown = 1_000;
/** Threads that one pass looks at. */
const mostWaiting = 200;

export function openThreads(sources: ThreadSources): Threads {
  const { store, log, ids } = sources;
  const threadNamed = (
    thread_id: string,
    more: Pick<Carried, "after" | "first"> = nowhere,
    order?: OrderInput,
  ): Thread => ({
    thread_id,
    send: (text, options = {}) =>
      send(
        sources,
        { thread_id, text, ...more },
        order ? { ...options, wanted: { ...order, ...options.wanted } } : options,
      ),
  });
  const begin = (after?: SessionId, order?: OrderInput): Thread => {
    const first = ids.sessionId();
    return threadNamed(threadOf(first), { first, after }, order);
  };
  const open: Threads["open"] = async (thread_id, order) => {
    if (firstSessionOf(thread_id) === undefined) return err(noThread(thread_id));
    const messages = await store.messagesOf(thread_id);
    if (!messages.ok) return messages;
    const head = await headOfThread(sources, thread_id, messages.value);
    if (!head.ok) return head;
    if (!head.value) return err(noThread(thread_id));
    return ok(threadNamed(thread_id, nowhere, order && orderInputOf(order)));
  };
  return {
    begin: (order) => begin(undefined, order),
    open,
    async after(session_id) {
      const events = await readEvents(log, session_id);
      if (!events.ok) return events;
      const start = startOf(events.value);
      if (start.parent_kind === "child" || start.framework_id === undefined) return err(noConversation(session_id));
      const thread_id = start.thread_id ?? threadOf(session_id);
      const messages = await store.messagesOf(thread_id);
      if (!messages.ok) return messages;
      const head = await headOfThread(sources, thread_id, messages.value);
      if (!head.ok) return head;
      return ok(head.value?.session_id === session_id ? threadNamed(thread_id) : begin(session_id));
    },
    list: async (limit, after) => store.threads(limit, after),
    read: (thread_id) => viewThread(sources, thread_id, mostShown),
    async carryWaiting(signal) {
      const waiting = await store.waitingThreads(mostWaiting);
      if (!waiting.ok) return waiting;
      for (const thread_id of waiting.value) {
        const messages = await store.messagesOf(thread_id);
        if (!messages.ok) return messages;
        const next = messages.value.find((each) => each.session_id === null);
        if (next && !signal.aborted) await carryStored(sources, next, signal); // what came of it is in its session
      }
      return ok(undefined);
    },
  };
}

const nowhere = { after: undefined, first: undefined };

/** A message on its way, with what can be followed of it. */
function send(
  sources: ThreadSources,
  message: Pick<Carried, "thread_id" | "text" | "after" | "first">,
  options: SendOptions,
): SentMessage {
  const { wanted = {}, attachments = [], caller, order, signal, ...listeners } = options;
  const parts = new PartQueue();
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  let accept: (accepted: Result<AcceptedMessage>) => void = () => undefined;
  const accepted = new Promise<Result<AcceptedMessage>>((resolve) => {
    accept = resolve;
  });
  const carry = async () => {
    const kept = await sources.keepAttachments(attachments);
    if (!kept.ok) return kept;
    const named = order ? ok(order) : await nextOrder(sources);
    if (!named.ok) return named;
    return carryMessage(sources, {
      ...message,
      message_id: messageOf(named.value.work_order_id),
      created_at: named.value.created_at,
      wanted: kept.value.length === 0 ? wanted : { ...wanted, attachments: kept.value },
      caller,
      listeners: {
        ...listeners,
        signal: stop.signal,
        onPart(part) {
          parts.push(part);
          listeners.onPart?.(part);
        },
      },
      onAccepted: (done) => accept(ok(done)),
    });
  };
  const result = carry()
    .then((done) => {
      accept(done.ok ? refusedBefore(done.value) : done);
      return done.ok ? done.value : failedOrder(done.error);
    })
    .finally(() => {
      parts.end();
      signal?.removeEventListener("abort", abort);
    });
  return { accepted, result, stream: () => parts.read(), abort };
}

/** A message that ended without having been accepted was refused. */
function refusedBefore({ error, error_code }: Awaited<SentMessage["result"]>): Result<AcceptedMessage> {
  return err(domainError("GATE_DENIED", error ?? "the message was refused", { details: { error_code } }));
}

async function nextOrder({ nextOrderId, clock }: ThreadSources) {
  const id = await nextOrderId();
  return id.ok ? ok({ work_order_id: id.value, created_at: isoTime(clock.now()) }) : id;
}

function noConversation(session_id: string) {
  return domainError("NOT_FOUND", `${session_id} holds no conversation with a person that could be continued`);
}
