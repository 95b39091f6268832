import type { SchemaTypes } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  arrayOf,
  type Call,
  frame,
  integer,
  is,
  json,
  objectOf,
  plainGet,
  problemFrame,
  type Reply,
  type Route,
  type SanitizeError,
} from "#core/routes";
import { type Clock, err, isSessionId, ok, type Result } from "#core/values";
import type { EventLog } from "#log";
import { followThread } from "../threads/follow-thread.ts";
import type { LivePieces } from "../threads/live-pieces.ts";
import type { ThreadStore } from "../threads/store/thread-store.ts";
import type { SentMessage, Thread, Threads } from "../threads/threads.ts";
import { accepting } from "./accepting.ts";
import type { OrderService } from "./order-service.ts";
import { preferredResult } from "./preferred-result.ts";

type ThreadRequest = SchemaTypes["thread_request_v1"];

export interface ThreadRouteParts {
  readonly orders: Pick<OrderService, "message">;
  readonly threads: Threads;
  readonly pieces: LivePieces;
  readonly store: Pick<ThreadStore, "messagesOf">;
  readonly log: Pick<EventLog, "follow">;
  readonly nextOrderId: () => Promise<Result<string>>;
  readonly clock: Clock;
  readonly sanitizeError: SanitizeError;
}

const acceptingMessage = {
  ...accepting,
  answer: {
    status: 202,
    description: "The message cannot be lost: it waits, or its order is on disk.",
    schema: "thread_message_v1" as const,
  },
};

const reserveOrderId = ({ nextOrderId }: ThreadRouteParts): Promise<Result<string>> => nextOrderId();

const position = { type: "integer" as const, description: "Resume after this number; `Last-Event-ID` does the same." };
const most = { type: "integer" as const, description: "How many at most; 50 without it." };

/** Conversations with an agent. */
export const threadRoutes: readonly Route<ThreadRouteParts>[] = [
  {
    method: "POST",
    path: "/api/v1/threads",
    tag: "threads",
    summary: "Begins a thread with its first message, or one that has a session's conversation behind it",
    right: "order.submit",
    query: {},
    body: "thread_request_v1",
    ...acceptingMessage,
    reserveId: reserveOrderId,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const { continues } = call.body as ThreadRequest;
      if (continues === undefined) return send(parts, call, parts.threads.begin());
      const thread = isSessionId(continues) ? await parts.threads.after(continues) : err(noSession(continues));
      return thread.ok ? send(parts, call, thread.value) : thread;
    },
  },
  {
    method: "POST",
    path: "/api/v1/threads/:thread_id/messages",
    tag: "threads",
    summary: "Sends a message: a running order takes it with its next step, or an order of its own follows",
    right: "order.submit",
    query: {},
    body: "thread_request_v1",
    ...acceptingMessage,
    reserveId: reserveOrderId,
    isSecret: false,
    isProbe: false,
    async handle(parts, call) {
      const thread = await parts.threads.open(call.params["thread_id"] ?? "");
      return thread.ok ? send(parts, call, thread.value) : thread;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/threads",
    tag: "threads",
    summary: "The threads, the one that was spoken in last first",
    right: "read",
    query: { limit: most },
    headers: {},
    answer: {
      status: 200,
      description: "A page of them.",
      schema: objectOf({
        threads: arrayOf(
          objectOf({
            thread_id: is.text,
            message_id: is.text,
            position: is.count,
            session_id: is.text,
            sent_at: is.time,
          }),
        ),
      }),
    },
    otherAnswers: [],
    async handle({ threads }, call) {
      const found = await threads.list(Math.min(200, Math.max(1, integer(call.query, "limit", 50))));
      return found.ok ? ok(json({ threads: found.value })) : found;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/threads/:thread_id",
    tag: "threads",
    summary: "What was said in a thread, from the records of its sessions",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "Its messages with their answers.", schema: "thread_v1" },
    otherAnswers: [],
    async handle({ threads }, { params }) {
      const thread = await threads.read(params["thread_id"] ?? "");
      return thread.ok ? ok(json(thread.value)) : thread;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/threads/:thread_id/stream",
    tag: "threads",
    summary:
      "What people are shown of a thread: calls, results, todos, approvals and answers, and their pieces as they arrive",
    right: "read",
    query: { after: position },
    headers: {
      "Last-Event-ID": {
        description: "The last `id` that was seen: the stream goes on after it.",
        pattern: "^[0-9]{1,15}$",
      },
    },
    answer: {
      status: 200,
      description:
        "Server-sent events `part` (`stream_part_v1`); what is recorded has an `id`, a piece of an answer has none.",
      mediaType: "text/event-stream",
    },
    otherAnswers: [],
    async handle(parts, call) {
      const thread_id = call.params["thread_id"] ?? "";
      const thread = await parts.threads.open(thread_id);
      if (!thread.ok) return thread;
      const last = call.header("last-event-id") ?? "";
      const after = /^\d{1,15}$/.test(last) ? Number(last) : integer(call.query, "after", 0);
      return ok({ kind: "stream", frames: frames(parts, thread_id, after, call.signal) });
    },
  },
];

async function* frames(
  parts: ThreadRouteParts,
  thread_id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const each of followThread(parts, thread_id, after, signal)) {
    if (!each.ok) {
      yield problemFrame(parts.sanitizeError(each.error, "a thread"));
      return;
    }
    yield frame("part", each.value.part, each.value.id);
  }
}

async function send(parts: ThreadRouteParts, call: Call, thread: Thread): Promise<Result<Reply>> {
  const { caller, reservedId, body } = call;
  const { text, continues: _, allow_code: allowCode, attachments = [], ...wanted } = body as ThreadRequest;
  const files = attachments.map(({ name, data }) => ({ name, bytes: Buffer.from(data, "base64") }));
  const { thread_id } = thread;
  const sent: Result<SentMessage> = parts.orders.message(caller, (options) =>
    thread.send(text, {
      ...options,
      onPart: (part) => parts.pieces.push(thread_id, part),
      caller,
      attachments: files,
      wanted: { ...wanted, ...(allowCode === undefined ? {} : { allowCode }) },
      ...(reservedId ? { order: { work_order_id: reservedId.id, created_at: reservedId.created_at } } : {}),
    }),
  );
  if (!sent.ok) return sent;
  const accepted = await sent.value.accepted;
  if (!accepted.ok) return accepted;
  const done = await preferredResult(sent.value.result, call, parts.clock);
  return ok(done ? json(done, 200) : json(accepted.value, 202));
}

function noSession(session_id: string) {
  return domainError("NOT_FOUND", `there is no session ${JSON.stringify(session_id)}`);
}
