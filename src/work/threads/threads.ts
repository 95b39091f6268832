import type { SchemaTypes } from "#core/contracts";
import type { Caller, Result, SessionId } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions } from "../flow/flow.ts";
import type { AttachedFile } from "../orders/attachments.ts";
import type { OrderWords } from "../orders/order-words.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import type { ThreadHead } from "./store/thread-store.ts";
import type { StreamPart } from "./stream-part.ts";

/** Conversations with an agent: one message is one order is one session, with a budget and a proof of its own. */
export interface Threads {
  /** A new thread; nothing is written before its first message. */
  begin(order?: OrderInput): Thread;
  /**
   * The thread that goes on after a session. After the last of a thread it is that thread; after any other, a new thread that has
   * the conversation up to there behind it.
   */
  after(session_id: SessionId): Promise<Result<Thread>>;
  /** A thread by its name; its further messages may do what `order` says. */
  open(thread_id: string, order?: OrderWords): Promise<Result<Thread>>;
  /** The newest first. */
  list(limit: number, after?: Pick<ThreadHead, "sent_at" | "thread_id">): Promise<Result<readonly ThreadHead[]>>;
  /** What was said in it, from the records of its sessions. */
  read(thread_id: string): Promise<Result<SchemaTypes["thread_v1"]>>;
  /** Carries out messages that wait and that no process is left to carry out. */
  carryWaiting(signal: AbortSignal): Promise<Result<void>>;
}

export interface Thread {
  readonly thread_id: string;
  /** Sends a message. While another is carried out, it reaches the agent with its next request, or is carried out after it. */
  send(text: string, options?: SendOptions): SentMessage;
}

export interface SendOptions
  extends Pick<FlowOptions, "signal" | "interrupt" | "onEvent" | "onPart" | "onProgress" | "onText"> {
  /** What the message may do and with which model; nothing of it is taken over from earlier messages, except the profile. */
  readonly wanted?: OrderInput;
  /** Files that go with the words: pictures, PDF documents, texts. */
  readonly attachments?: readonly AttachedFile[];
  /** The caller that a server recognised. */
  readonly caller?: Caller;
  /** The order that the message is to be, where its number was reserved: sent again, it is the same message. */
  readonly order?: { readonly work_order_id: string; readonly created_at: string };
}

export interface SentMessage {
  /** Once it cannot be lost: where it waits, or which session carries it out. */
  readonly accepted: Promise<Result<AcceptedMessage>>;
  /** What came of it; of the order that took it, where it reached a running one. Never rejects. */
  readonly result: Promise<FlowResult>;
  /** What people are shown, from its beginning. */
  stream(): AsyncIterable<StreamPart>;
  /** Stops the message. The thread goes on with the next. */
  abort(): void;
}

export interface AcceptedMessage {
  readonly thread_id: string;
  readonly message_id: string;
  readonly work_order_id: string;
  readonly state: "waiting" | "begun" | "taken";
  readonly session_id: string | null;
}
