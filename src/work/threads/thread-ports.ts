import type { foldHistory } from "#agents";
import type { Result, SessionId } from "#core/values";
import type { MessagePlace, StoredMessage } from "./store/thread-store.ts";

/** A conversation as the sessions before left it. */
export type History = Extract<ReturnType<typeof foldHistory>, { ok: true }>["value"];

/** What a session asks of the thread that it belongs to. */
export interface ThreadPort {
  /** The conversation at the end of a session. */
  history(session_id: SessionId): Promise<Result<History>>;
  /** Messages that wait there. */
  waiting(thread_id: string): Promise<Result<readonly StoredMessage[]>>;
  take(place: MessagePlace): Promise<Result<boolean>>;
}
