import type { DomainError } from "#core/errors";
import type { Result } from "#core/values";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { LineWriter } from "../line-writer.ts";
import type { Entry } from "../sealed-event.ts";
import type { SessionRecorder, SessionSink } from "../session-recorder.ts";
import type { SessionState } from "../session-state.ts";
import type { Batch } from "./arena.ts";
import type { BaseFrame } from "./frame.ts";
import { type SessionPaths, sessionPaths } from "./paths.ts";
import { fileNumber, type PendingWrites, type SessionFile } from "./pending-writes.ts";

/** What a session needs from the log that it belongs to. */
export interface SessionHome {
  readonly root: string;
  readonly pending: PendingWrites;
  /** Why nothing more can be written, if so. */
  refusal(): DomainError | undefined;
  readonly line: LineWriter;
  readonly ledgers: LedgerWriter;
  /** True when the next event starts a batch that is written at once. */
  isAtRest(): boolean;
  put(session: JsonlSession, entry: Entry): void;
  /** Called for a staged event: it waits for a batch, and the log must write it in the end. */
  staged(): void;
  /** Called when the session's files are behind its durable events. */
  ahead(session: JsonlSession): void;
  release(session: JsonlSession): Promise<Result<void>>;
}

/** One session that this process writes: its chain, its claim in the journal, the state of its files. */
export class JsonlSession implements SessionSink {
  readonly state: SessionState;
  readonly line: LineWriter;
  readonly ledgers: LedgerWriter;
  readonly paths: SessionPaths;
  /** Identifies the session's lines among the pending writes. */
  readonly number: number;
  /** The generation that holds its claim; 0 while there is none. */
  generation = 0;
  #confirmed = 0;
  /** When its files fell behind; undefined while they hold everything. Owned by the write-behind. */
  behindSince: number | undefined;
  /** `session.close` is durable. */
  isClosed = false;
  hasFolder: boolean;
  /** What is still to be written as its `snapshot.json`. */
  snapshot: string | undefined;
  /** The topmost folder that was made for it and whose name is not synced yet. */
  newFolder: string | undefined;
  /** Files written since they were last synced. */
  readonly unsynced: Set<SessionFile> = new Set();
  /** Called for every event that becomes durable. */
  readonly followers: Set<() => void> = new Set();
  recorder: SessionRecorder | undefined;
  readonly #home: SessionHome;

  constructor(state: SessionState, home: SessionHome) {
    this.state = state;
    this.#home = home;
    this.line = home.line;
    this.ledgers = home.ledgers;
    this.number = home.pending.number();
    this.paths = sessionPaths(home.root, state.tier, state.session_id);
    this.hasFolder = state.written.exec.seq > 0; // a session without ledger entries may have been copied without their folder
  }

  get ledgersMayWait(): boolean {
    return this.#home.isAtRest();
  }

  refusal(): DomainError | undefined {
    return this.#home.refusal();
  }

  put(entry: Entry): void {
    this.#home.put(this, entry);
    if (!entry.settle) this.#home.staged();
  }

  /** The claim for a generation: events above these marks are in the journal. */
  claim(generation: number): BaseFrame {
    this.generation = generation;
    return { frame: "base", session_id: this.state.session_id, tier: this.state.tier, base: this.state.durableMarks() };
  }

  /** The claim is on disk. */
  confirm(): void {
    this.#confirmed = this.generation;
  }

  /** The entry is on disk, with its event in the one batch and its ledger entries in the other. */
  committed(entry: Entry, lines: Batch, ledgers: Batch): void {
    this.#confirmed = this.generation;
    this.state.markDurable(entry);
    const { pending } = this.#home;
    const { derived } = entry;
    pending.add(lines, fileNumber(this.number, 0), entry.start, entry.end);
    if (derived) pending.add(ledgers, fileNumber(this.number, 1), derived.execStart, derived.execEnd);
    if (derived?.evidence !== undefined)
      pending.add(ledgers, fileNumber(this.number, 2), derived.evidenceStart, derived.evidenceEnd);
    this.#home.ahead(this);
    if (this.followers.size > 0) for (const wake of this.followers) wake();
  }

  /** Durable lines that the file does not hold yet. */
  pending(file: SessionFile): Buffer {
    const isFiled = this.state.written.events.seq === this.state.durableSeq;
    return isFiled ? nothing : this.#home.pending.linesOf(this.number, file);
  }

  rollback(): void {
    this.generation = this.#confirmed;
    this.state.rollback();
  }

  lose(error: DomainError): void {
    this.recorder?.lose(error);
  }

  closed(): void {
    this.isClosed = true;
    this.#home.ahead(this);
  }

  release(): Promise<Result<void>> {
    return this.#home.release(this);
  }
}

const nothing = Buffer.alloc(0);
