import type { DomainError } from "#core/errors";
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
  /** Records the last event, which names both ledger heads. Nothing can be recorded after it. */
  close(input: CloseInput): Promise<Result<Event<"session.close">>>;
  /**
   * Writes its files and releases the session, so that another process may open it. A closed session is released
   * automatically.
   */
  release(): Promise<Result<void>>;
}

export interface CloseInput {
  readonly ok: boolean;
  readonly status: string;
  readonly reason?: string;
  /** Acts outside the order that were refused. */
  readonly refused_acts?: number;
  /** What a list should tell of the session, however it ended. */
  readonly notices?: readonly string[];
  readonly actor?: string;
  readonly parent_id?: EventId | null;
}

export interface ReadOptions {
  /** The first seq to return; 1 by default. */
  readonly from?: number;
  /**
   * Continues after a mark that an earlier reader verified: only later events are read, and they must continue this
   * chain.
   */
  readonly after?: ChainMark;
  /** Verify every line and every link (the default), or only parse: for callers that verify elsewhere. */
  readonly verify?: boolean;
}

/** A line as it is in a file, for callers that examine it themselves. */
export interface RawLine {
  /** Without its LF. */
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** `torn`: the last line of a file lacks its LF. `not_utf8`: `text` is only an approximation. */
  readonly fault: "torn" | "not_utf8" | undefined;
}

/** What the first and the last event of a session contain; no event between them is read. */
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
  /** From `session.close`; null while open. */
  readonly ok: boolean | null;
  readonly status: string | null;
  /** Acts outside its order that were tried and refused; absent: none. */
  readonly refused_acts?: number;
  /** From `session.close`; absent where there is nothing to tell. */
  readonly notices?: readonly string[];
}

export interface NewestOptions {
  readonly limit: number;
  /** Only those that have not closed, or those that ended without success. */
  readonly only?: "open" | "failed";
  /** Sessions of work orders before all others, which record decisions of people. */
  readonly ordersFirst?: boolean;
}

export interface NewestSessions {
  readonly sessions: readonly SessionInfo[];
  /** How many there are of that kind. */
  readonly total: number;
  /** What was met on the way and cannot be listed. */
  readonly damaged: readonly DomainError[];
}

/** The lines of the anchor log in portions; the fault is that of the last one. */
export type AnchorLines = AsyncGenerator<{ readonly texts: readonly string[]; readonly fault: RawLine["fault"] }>;

export type LedgerName = "exec" | "evidence";

/**
 * Reading takes no lock and writes nothing: it works on a read-only mount and while other processes write. Journal and
 * files are read as one.
 */
export interface LogReader {
  read(session_id: SessionId, options?: ReadOptions): AsyncIterable<Result<Event>>;
  /** The same in batches, for callers that count microseconds. An error is the last batch. */
  readBatches(session_id: SessionId, options?: ReadOptions): AsyncIterable<Result<readonly Event[]>>;
  /** Unverified lines, for `verify`. */
  readLines(session_id: SessionId): AsyncIterable<Result<readonly RawLine[]>>;
  /** Unverified lines of a ledger as its file (and, above the low-water mark, the derivation) has them. */
  readLedger(session_id: SessionId, ledger: LedgerName): AsyncIterable<Result<readonly RawLine[]>>;
  /** Events as they become durable, past ones first; ends after `session.close` or when the signal aborts. */
  follow(session_id: SessionId, options: FollowOptions): AsyncIterable<Result<Event>>;
  list(): AsyncIterable<Result<SessionInfo>>;
  /** The ids alone; nothing of a session is read. */
  ids(): AsyncIterable<Result<SessionId>>;
  /** The newest sessions, the newest first; the others are not opened where the driver knows better. */
  newest(options: NewestOptions): Promise<Result<NewestSessions>>;
  /**
   * The lines of the anchor log, where it is not a file of the workspace. The iteration throws when they cannot be
   * read.
   */
  readonly anchorLines?: (() => AnchorLines) | undefined;
  /** Of these sessions, those that a live process writes now, this one included. */
  atWork(ids: readonly SessionId[]): Promise<Result<ReadonlySet<string>>>;
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
  /**
   * Opens a session that no process writes; `SESSION_BUSY` when a live process does, `SESSION_CLOSED` when it has
   * ended.
   */
  open(session_id: SessionId): Promise<Result<SessionLog>>;
  /**
   * Which of these sessions another live process writes: `open` would return `SESSION_BUSY`. Absent where this is no
   * cheaper than opening.
   */
  readonly writtenElsewhere?: ((ids: readonly SessionId[]) => Promise<Result<ReadonlySet<string>>>) | undefined;
  /** Writes the text of `snapshot.json` into the folder of a session that has closed; together with its files, where those wait. */
  keepSnapshot(session_id: SessionId, folder: string, text: string): void;
  /** Writes the session files that are behind the journal. */
  flush(): Promise<Result<void>>;
  /** Makes everything durable, writes the session files and releases the workspace. */
  shutdown(): Promise<Result<void>>;
}
