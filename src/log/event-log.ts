import type { EventId, Result, SessionId, Sha256 } from "#core/values";
import type { Event } from "./event.ts";
import type { ChainMark, Head } from "./line.ts";
import type { Recorder } from "./recorder.ts";
import type { Tier } from "./tier.ts";

/** A session that this process writes. */
export interface SessionLog extends Recorder {
  readonly tier: Tier;
  /** The last event recorded, staged ones included. */
  readonly head: Head;
  /** The last event: names both ledger heads. Nothing can be recorded after it. */
  close(input: CloseInput): Promise<Result<Event<"session.close">>>;
  /** Writes its files and gives the session up, so that another process may open it. A closed session is released by itself. */
  release(): Promise<Result<void>>;
}

export interface CloseInput {
  readonly ok: boolean;
  readonly status: string;
  readonly reason?: string;
  readonly actor?: string;
  readonly parent_id?: EventId | null;
}

export interface ReadOptions {
  /** First seq to give; 1 unless told. */
  readonly from?: number;
  /** Goes on after a place that an earlier reader proved: only what comes later is read, and it must continue this chain. */
  readonly after?: ChainMark;
  /** Prove every line and every link (the default), or only parse: for those who verify elsewhere. */
  readonly verify?: boolean;
}

/** A line as it stands in a file, for those who examine it themselves. */
export interface RawLine {
  /** Without its LF. */
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** `torn`: the last line of a file lacks its LF. `not_utf8`: `text` is only an approximation. */
  readonly fault: "torn" | "not_utf8" | undefined;
}

/** What the first and the last event of a session say; no event between them is read. */
export interface SessionInfo {
  readonly session_id: SessionId;
  readonly tier: Tier;
  readonly started_at: string;
  readonly last_at: string;
  readonly events: number;
  readonly head_hash: Sha256;
  readonly work_order_id: string | null;
  readonly parent_session_id: string | null;
  readonly closed: boolean;
  /** What `session.close` says; null while open. */
  readonly ok: boolean | null;
  readonly status: string | null;
}

/** The lines of the anchor log in portions; the fault is that of the last one. */
export type AnchorLines = AsyncGenerator<{ readonly texts: readonly string[]; readonly fault: RawLine["fault"] }>;

export type LedgerName = "exec" | "evidence";

/** Reading takes no lock and writes nothing: it works on a read-only mount and while writers write. Journal and files are seen as one. */
export interface LogReader {
  read(session_id: SessionId, options?: ReadOptions): AsyncIterable<Result<Event>>;
  /** The same in portions, for those who count microseconds. An error is the last portion. */
  readBatches(session_id: SessionId, options?: ReadOptions): AsyncIterable<Result<readonly Event[]>>;
  /** Unproven lines, for `verify`. */
  readLines(session_id: SessionId): AsyncIterable<Result<readonly RawLine[]>>;
  /** Unproven lines of a ledger as its file (and, above the low-water mark, the derivation) has them. */
  readLedger(session_id: SessionId, ledger: LedgerName): AsyncIterable<Result<readonly RawLine[]>>;
  /** Events as they become durable, past ones first; ends after `session.close` or when the signal aborts. */
  follow(session_id: SessionId, options: FollowOptions): AsyncIterable<Result<Event>>;
  list(): AsyncIterable<Result<SessionInfo>>;
  /** The lines of the anchor log, where it is not a file of the workspace. Whoever reads them hears of a failure by an exception. */
  readonly anchorLines?: (() => AnchorLines) | undefined;
  /** The folder a session's files are in, or `NOT_FOUND`. */
  locate(session_id: SessionId): Promise<Result<SessionPlace>>;
}

export interface FollowOptions {
  readonly from?: number;
  readonly signal: AbortSignal;
}

export interface SessionPlace {
  readonly tier: Tier;
  readonly folder: string;
}

/** The log of a workspace. Every driver of this port passes `event-log.case.ts`. */
export interface EventLog extends LogReader {
  /** A new session. Its id is unguessable, so no lock is needed. */
  create(options: { readonly tier: Tier; readonly session_id?: SessionId }): Promise<Result<SessionLog>>;
  /** Takes over a session that nobody writes; `SESSION_BUSY` when a live process does, `SESSION_CLOSED` when it has ended. */
  open(session_id: SessionId): Promise<Result<SessionLog>>;
  /**
   * Of these sessions, those that another living process writes: `open` would say `SESSION_BUSY`. Absent where asking is
   * no cheaper than opening.
   */
  readonly writtenElsewhere?: ((ids: readonly SessionId[]) => Promise<Result<ReadonlySet<string>>>) | undefined;
  /** Writes the session files that lie behind the journal. */
  flush(): Promise<Result<void>>;
  /** Makes everything durable, writes the session files and lets go of the workspace. */
  shutdown(): Promise<Result<void>>;
}
