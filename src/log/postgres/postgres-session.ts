import type { DomainError } from "#core/errors";
import type { Result } from "#core/values";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { LineWriter } from "../line-writer.ts";
import type { Entry } from "../sealed-event.ts";
import type { SessionRecorder, SessionSink } from "../session-recorder.ts";
import type { SessionState } from "../session-state.ts";

/** What a session needs from the log that it belongs to. */
export interface SessionHome {
  readonly line: LineWriter;
  readonly ledgers: LedgerWriter;
  refusal(): DomainError | undefined;
  put(session: PostgresSession, text: string, entry: Entry): void;
  /** Called when this process no longer writes the session: it is closed, or another process owns it. */
  left(session: PostgresSession): void;
  release(session: PostgresSession): Promise<Result<void>>;
}

/** One session that this process writes: its chain, and the epoch under which it owns the session. */
export class PostgresSession implements SessionSink {
  readonly state: SessionState;
  readonly epoch: number;
  readonly line: LineWriter;
  readonly ledgers: LedgerWriter;
  readonly ledgersMayWait = false;
  recorder: SessionRecorder | undefined;
  /** Called for every event that becomes durable. */
  readonly followers: Set<() => void> = new Set();
  readonly #home: SessionHome;
  /** Why this process no longer owns it, if so. */
  #lost: DomainError | undefined;

  constructor(state: SessionState, epoch: number, home: SessionHome) {
    this.state = state;
    this.epoch = epoch;
    this.line = home.line;
    this.ledgers = home.ledgers;
    this.#home = home;
  }

  refusal(): DomainError | undefined {
    return this.#lost ?? this.#home.refusal();
  }

  put(entry: Entry): void {
    const { buffer, position, end } = this.line.memory;
    entry.end = end - position + 1;
    this.#home.put(this, buffer.toString("utf8", position, end), entry);
  }

  /** These entries are in the database and are read from there. */
  committed(entries: Iterable<Entry>): void {
    for (const entry of entries) this.state.markDurable(entry);
    this.state.markWritten(this.state.durableMarks());
    for (const wake of this.followers) wake();
  }

  /** Drops the entries that could not be made durable. */
  rollback(): void {
    this.state.rollback();
  }

  /** Another process owns it. */
  forfeit(error: DomainError): void {
    this.#lost = error;
    this.#home.left(this);
  }

  closed(): void {
    this.#home.left(this);
  }

  release(): Promise<Result<void>> {
    return this.#home.release(this);
  }
}
