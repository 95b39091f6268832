import type { Answer } from "#core/values";

/** A message of a thread: it waits, an order carries it out at its position, or a running order has taken it. */
export interface StoredMessage {
  readonly thread_id: string;
  readonly message_id: string;
  /** Which message of the thread its own order is; null while it waits, and where another order took it. */
  readonly position: number | null;
  readonly session_id: string | null;
  /** What waits, as its sender wrote it, secrets behind handles; null once it is recorded in a session. */
  readonly waiting: string | null;
  readonly sent_at: string;
  /** Whether the session has recorded it. */
  readonly begun: boolean;
}

/** A thread with its last position. */
export type ThreadHead = Pick<StoredMessage, "thread_id" | "message_id" | "sent_at"> & {
  readonly position: number;
  readonly session_id: string;
};

/** The messages of threads. A position is taken once, so that no two processes answer one message after the other's. */
export interface ThreadStore {
  /** Adds messages; of one that is there already nothing changes. False where a position or the message was taken. */
  addMessage(message: StoredMessage): Answer<boolean>;
  /** Gives a waiting message its position and its session. False where either is taken. */
  beginMessage(place: MessagePlace & { readonly position: number }): Answer<boolean>;
  /** The session has recorded the message. False where another process has taken it meanwhile. */
  confirmMessage(place: MessagePlace): Answer<boolean>;
  /** Releases a position whose session was never recorded: the message waits again, or is removed where it was never stored as waiting. */
  dropMessage(place: MessagePlace): Answer<boolean>;
  /** A running session took a waiting message. */
  takeMessage(place: MessagePlace): Answer<boolean>;
  /** The sender takes it back. False once it was begun or taken. */
  withdrawMessage(thread_id: string, message_id: string): Answer<boolean>;
  /** Its messages by position, then those without one in the order of arrival. */
  messagesOf(thread_id: string): Answer<readonly StoredMessage[]>;
  /** The newest threads first; the next page comes after the last of the one before. */
  threads(limit: number, after?: Pick<ThreadHead, "sent_at" | "thread_id">): Answer<readonly ThreadHead[]>;
  /** Threads in which a message waits. */
  waitingThreads(limit: number): Answer<readonly string[]>;
}

export interface MessagePlace {
  readonly thread_id: string;
  readonly message_id: string;
  readonly session_id: string;
}
