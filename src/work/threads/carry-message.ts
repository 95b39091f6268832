import { domainError } from "#core/errors";
import { type Caller, err, isSessionId, ok, type Result, type SessionId, sleep } from "#core/values";
import { startOf } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions } from "../flow/flow.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import { readEvents } from "../replay/read-events.ts";
import { endOfOrder, resultOfRecord } from "../replay/result-of-record.ts";
import { type Head, headOfThread } from "./head-of-thread.ts";
import type { StoredMessage } from "./store/thread-store.ts";
import { orderOfMessage } from "./thread-id.ts";
import type { ThreadPlace } from "./thread-place.ts";
import type { ThreadSources } from "./thread-sources.ts";
import type { AcceptedMessage } from "./threads.ts";
import { openText, waitingOf, waitingText } from "./waiting-message.ts";
import { openQuestion, waitingResult, waitsForPerson } from "./waits-for-person.ts";

/** A message on its way. */
export interface Carried {
  readonly thread_id: string;
  readonly message_id: string;
  readonly created_at: string;
  /** The session that it continues where its thread has none yet. */
  readonly after: SessionId | undefined;
  /** The session that a thread's first message becomes. */
  readonly first: SessionId | undefined;
  readonly text: string;
  readonly wanted: OrderInput;
  readonly caller: Caller | undefined;
  readonly listeners: Pick<FlowOptions, "signal" | "interrupt" | "onEvent" | "onPart" | "onProgress" | "onText">;
  readonly onAccepted: (accepted: AcceptedMessage) => void;
}

/** How often a thread is read again while another process carries out its message. */
const pollMs = 250;
/** A process that has taken a position records the first event of its session in a fraction of this time. */
const graceMs = 2_000;

/**
 * Carries a message out: waits for the message before it, takes its position and runs its order, or finds that a running order has
 * taken it. Each pass reads the store and the record again, so it can go on wherever another process stopped.
 */
export async function carryMessage(sources: ThreadSources, message: Carried): Promise<Result<FlowResult>> {
  const { store, clock } = sources;
  const { thread_id, message_id, listeners } = message;
  const signal = listeners.signal ?? new AbortController().signal;
  let unbegun: string | undefined;
  for (;;) {
    const messages = await store.messagesOf(thread_id);
    if (!messages.ok) return messages;
    const mine = messages.value.find((each) => each.message_id === message_id);
    if (mine?.session_id && (mine.position === null || mine.begun)) return resultElsewhere(sources, mine, message);
    const head = await headOfThread(sources, thread_id, messages.value);
    if (!head.ok) return head;
    const before = head.value;
    if (before?.state === "never began") {
      // The process that took the position may be about to record; if nothing has changed after a pause, it died.
      if (unbegun !== before.session_id) {
        unbegun = before.session_id;
        if (!(await sleep(clock, graceMs, signal))) return withdrawn(sources, message);
        continue;
      }
      const dropped = await dropUnbegun(sources, thread_id, before);
      if (!dropped.ok) return dropped;
      continue;
    }
    if (before && hasTaken(before, message_id)) {
      const { session_id } = before;
      const taken = await store.takeMessage({ thread_id, message_id, session_id });
      if (!taken.ok) return taken;
      return resultElsewhere(sources, { ...(mine ?? { thread_id, message_id }), position: null, session_id }, message);
    }
    if (before?.state === "open") {
      const question = await openQuestion(sources, before.session_id);
      if (!question.ok) return question;
      // What is stored is taken by the session, or carried out after it, once there is a decision.
      if (question.value && mine) return ok(waitingResult(before.session_id, before.events, question.value));
      if (question.value) return err(waitsForPerson(thread_id, before.session_id, question.value));
      const waits = await waitBehind(sources, before, message, mine);
      if (!waits.ok) return waits;
      if (signal.aborted || !(await sleep(clock, pollMs, signal))) return withdrawn(sources, message);
      continue;
    }
    const next = messages.value.find((each) => each.session_id === null);
    if (next && next.message_id !== message_id) {
      const carried = await carryStored(sources, next, signal);
      if (!carried.ok) return carried;
      continue;
    }
    const begun = await beginMessage(sources, message, before, mine);
    if (!begun.ok) return begun;
    if (begun.value) return ok(begun.value);
  }
}

/** The order before this one has not ended. If its process died, it is resumed; if it is running, the message is stored so that it may take it. */
async function waitBehind(
  sources: ThreadSources,
  before: Head,
  message: Carried,
  mine: StoredMessage | undefined,
): Promise<Result<void>> {
  const { seals, store, caller } = sources;
  const { thread_id, message_id, text, wanted, created_at } = message;
  // What comes of the message before is shown with this one: its own sender has gone.
  const { onEvent: _, onText: _text, ...shown } = message.listeners;
  const resumed = await sources.resumeSession(before.session_id, shown);
  if (resumed.ok && isLeftOpen(resumed.value)) {
    const asked = await openQuestion(sources, before.session_id);
    if (!asked.ok) return asked;
    return asked.value ? ok(undefined) : err(leftOpen(thread_id, resumed.value));
  }
  if (resumed.ok) return ok(undefined);
  const { code } = resumed.error;
  if (code === "SESSION_CLOSED") return ok(undefined);
  if (code !== "SESSION_BUSY") return resumed;
  if (mine) return ok(undefined);
  const waiting = await waitingText(seals, text, {
    sealed_in: before.session_id,
    caller_id: message.caller?.id ?? caller,
    ...(message.caller?.key ? { key_id: message.caller.key.key_id } : {}),
    wanted,
  });
  if (!waiting.ok) return waiting;
  const row = { thread_id, message_id, position: null, session_id: null, begun: false, sent_at: created_at };
  const stored = await store.addMessage({ ...row, waiting: waiting.value });
  if (!stored.ok) return stored;
  message.onAccepted({ ...accepted(message), state: "waiting", session_id: null });
  return ok(undefined);
}

/** Runs the message as an order of its own. Undefined where another process took the position first: the caller reads again. */
async function beginMessage(
  sources: ThreadSources,
  message: Carried,
  before: Head | undefined,
  mine: StoredMessage | undefined,
): Promise<Result<FlowResult | undefined>> {
  const { store, ids } = sources;
  const { thread_id, message_id, created_at, listeners, caller } = message;
  const isFirst = before === undefined;
  const previous = isFirst ? message.after : before.session_id;
  const position = isFirst ? 1 : before.position + 1;
  const session_id = isFirst && message.first ? message.first : ids.sessionId();
  const order = await orderOf(sources, message, previous);
  if (!order.ok) return order;
  const history = previous === undefined ? undefined : await sources.history(previous);
  if (history?.ok === false) return history;
  if (before && position === 2) {
    const first = { thread_id, message_id: before.message_id, position: 1, session_id: before.session_id };
    const known = await store.addMessage({ ...first, waiting: null, sent_at: created_at, begun: true });
    if (!known.ok) return known;
  }
  const place = { thread_id, message_id, session_id };
  const claimed = mine
    ? await store.beginMessage({ ...place, position })
    : await store.addMessage({ ...place, position, waiting: null, sent_at: created_at, begun: false });
  if (!claimed.ok) return claimed;
  if (!claimed.value) return ok(undefined);
  let isLost = false;
  const confirm = async (): Promise<Result<void>> => {
    const confirmed = await store.confirmMessage(place);
    if (!confirmed.ok || confirmed.value) return confirmed.ok ? ok(undefined) : confirmed;
    isLost = true;
    return err(domainError("LEASE_LOST", "another process carries out this message"));
  };
  const thread: ThreadPlace = {
    thread_id,
    position,
    message_id,
    confirm,
    ...(previous === undefined || !history ? {} : { continues: previous, conversation_hash: history.value.hash }),
  };
  const onEvent: FlowOptions["onEvent"] = (event) => {
    if (event.type === "wo.started" && event.session_id === session_id)
      message.onAccepted({ ...accepted(message), state: "begun", session_id });
    listeners.onEvent?.(event);
  };
  const result = await sources.runFlow(
    { work_order: { ...order.value }, caller_id: caller?.id ?? sources.caller },
    {
      ...listeners,
      onEvent,
      thread,
      session_id,
      ...(caller ? { caller } : {}),
      resumeInterrupted: (begun) => sources.resumeOrder(begun, listeners),
    },
  );
  if (isLost) return ok(undefined);
  const dropped = await store.dropMessage(place); // where the order was refused before its session began
  return dropped.ok ? ok(result) : dropped;
}

/** The order of a message, in the words of its sender. The profile is that of the message before, unless another is named. */
async function orderOf(sources: ThreadSources, message: Carried, previous: SessionId | undefined) {
  const { message_id, created_at, text } = message;
  const events = previous === undefined ? ok([]) : await readEvents(sources.log, previous);
  if (!events.ok) return events;
  const profile = message.wanted.profile ?? (events.value.length > 0 ? startOf(events.value).profile : undefined);
  const written = await sources.writeWorkOrder(text, {
    ...message.wanted,
    ...(profile === undefined ? {} : { profile }),
  });
  return written.ok ? ok({ ...written.value, work_order_id: orderOfMessage(message_id), created_at }) : written;
}

/** A message that another process stored and did not carry out. */
export async function carryStored(
  sources: ThreadSources,
  stored: StoredMessage,
  signal: AbortSignal,
): Promise<Result<FlowResult>> {
  const waiting = waitingOf(stored);
  if (!waiting) return err(domainError("STORE_UNAVAILABLE", `the message ${stored.message_id} waits without its text`));
  const text = await openText(sources.seals, waiting);
  if (!text.ok) return text;
  const { caller_id, key_id, wanted } = waiting;
  const caller = key_id === undefined ? ok(undefined) : await sources.restoreCaller(caller_id, key_id);
  if (!caller.ok) return caller;
  return carryMessage(sources, {
    ...stored,
    created_at: stored.sent_at,
    after: undefined,
    first: undefined,
    text: text.value,
    wanted,
    caller: caller.value,
    listeners: { signal },
    onAccepted: () => undefined,
  });
}

/** Another process took the position and died before its session recorded anything. */
async function dropUnbegun({ store }: ThreadSources, thread_id: string, head: Head): Promise<Result<void>> {
  const { message_id, session_id } = head;
  const dropped = await store.dropMessage({ thread_id, message_id, session_id });
  if (!dropped.ok) return dropped;
  const forgotten = await store.forgetOrder(orderOfMessage(message_id));
  return forgotten.ok ? ok(undefined) : forgotten;
}

function hasTaken({ events }: Head, message_id: string): boolean {
  return events.some((event) => event.type === "thread.message" && event.payload.message_id === message_id);
}

/** The result of a message that another process, or an earlier call with the same id, carries out. */
async function resultElsewhere(
  sources: ThreadSources,
  mine: Pick<StoredMessage, "position" | "session_id">,
  message: Carried,
): Promise<Result<FlowResult>> {
  const { log, clock, resumeSession } = sources;
  const { session_id, position } = mine;
  const { listeners } = message;
  if (session_id === null || !isSessionId(session_id))
    return err(domainError("NOT_FOUND", "the message has no session"));
  message.onAccepted({ ...accepted(message), state: position === null ? "taken" : "begun", session_id });
  const signal = listeners.signal ?? new AbortController().signal;
  for (;;) {
    const events = await readEvents(log, session_id);
    if (!events.ok) return events;
    if (events.value.some(({ type }) => type === "session.close"))
      return ok(resultOfRecord(session_id, events.value, endOfOrder(events.value)));
    const question = await openQuestion(sources, session_id);
    if (!question.ok) return question;
    if (question.value) return ok(waitingResult(session_id, events.value, question.value));
    const resumed = await resumeSession(session_id, listeners);
    if (resumed.ok) return resumed;
    if (resumed.error.code !== "SESSION_BUSY" && resumed.error.code !== "SESSION_CLOSED") return resumed;
    if (!(await sleep(clock, pollMs, signal))) return err(domainError("CANCELED", "no longer waited for"));
  }
}

/** The sender stops waiting: a message that no order has begun is taken back. */
async function withdrawn({ store }: ThreadSources, { thread_id, message_id }: Carried): Promise<Result<FlowResult>> {
  const taken = await store.withdrawMessage(thread_id, message_id);
  return taken.ok ? err(domainError("CANCELED", "the message was taken back before it was carried out")) : taken;
}

function accepted({
  thread_id,
  message_id,
}: Carried): Pick<AcceptedMessage, "thread_id" | "message_id" | "work_order_id"> {
  return { thread_id, message_id, work_order_id: orderOfMessage(message_id) };
}

/** Whether it has stopped without its end: waiting, halted, or in doubt about a call. To go on at once would only repeat that. */
function isLeftOpen({ status, error_code }: FlowResult): boolean {
  return status === "waiting" || error_code === "HALTED";
}

function leftOpen(thread_id: string, { session_id, error, status }: FlowResult) {
  return domainError("SESSION_BUSY", `the thread ${thread_id} does not go on: ${error ?? status}`, {
    retryable: false,
    details: { session_id },
  });
}
