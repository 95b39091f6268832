import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, type Failpoint, ok, type Result } from "#core/values";
import { type Disk, isPassing, isUntried, syncFolders } from "./disk.ts";
import { Flusher } from "./flusher.ts";
import type { JournalFile } from "./journal-file.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import type { IndexKeeper } from "./listing/index-keeper.ts";
import { type PendingWrites, sessionFiles } from "./pending-writes.ts";
import { endFlush, planFlush, putBack, syncSessionFiles, takeUnsynced, type Unsynced } from "./session-files.ts";

/** Sessions in one round from which on the next rounds are flushed in a thread: a command that ran one flow starts none. */
const manySessions = 4;

export interface WriteBehindOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly pending: PendingWrites;
  readonly journalFolder: string;
  readonly index: IndexKeeper;
  readonly idleMs: number;
  /** How long the files of an open session may be behind before they are written although the session may continue. */
  readonly pauseMs: number;
  /** Bytes that may wait in memory before they are written although the journal is busy. */
  readonly maxBehindBytes: number;
  /** Whether the journal is idle; staged lines are then written out. */
  readonly isIdle: () => boolean;
  readonly settle: () => Promise<void>;
  readonly poison: (error: DomainError) => void;
  /** Called when a closed session's files hold everything: it can be dropped from memory. */
  readonly finished: (session: JsonlSession) => void;
}

/** Carries durable events from memory into session files: when idle, when much has gathered, at rotation, on demand. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #flusher: Flusher;
  /** Sessions whose files are behind. */
  readonly #behind = new Set<JsonlSession>();
  readonly #unsynced = new Set<JsonlSession>();
  /** Syncs that are running. Until they end it is unknown whether their files are on disk. */
  readonly #syncing = new Set<Promise<Result<void>>>();
  /** Why nothing more is flushed, if so. */
  #refusal: DomainError | undefined;
  readonly #retiring: JournalFile[] = [];
  #bytes = 0;
  #flushing: Promise<Result<void>> | undefined;
  #next: Promise<Result<void>> | undefined;
  #cancelTimer: (() => void) | undefined;
  #retryMs = 0;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
    this.#flusher = new Flusher(options.disk, options.failpoint);
  }

  ahead(session: JsonlSession): void {
    if (session.behindSince !== undefined) return;
    session.behindSince = this.#options.clock.monotonic();
    this.#behind.add(session);
  }

  committed(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#options.maxBehindBytes / 4) this.#flusher.expectMuch();
    if (this.#bytes > this.#options.maxBehindBytes) void this.flush();
    else this.nudge();
  }

  /** Schedules a flush for when the journal is idle. */
  nudge(): void {
    if (this.#cancelTimer || this.#refusal) return;
    this.#cancelTimer = this.#options.clock.after(Math.max(this.#options.idleMs, this.#retryMs), () => {
      this.#cancelTimer = undefined;
      void this.#rest();
    });
  }

  /** More waits in memory or in old generations than should: the journal waits until this resolves. */
  pressure(journalLength: number, limit: number): Promise<unknown> | undefined {
    const tooMuch =
      this.#bytes > 2 * this.#options.maxBehindBytes || (this.#retiring.length > 0 && journalLength > limit);
    return tooMuch && this.#retryMs === 0 ? this.flush() : undefined;
  }

  retire(file: JournalFile): void {
    this.#retiring.push(file);
    void this.flush();
  }

  /** Writes every durable event to its session's files, syncs them if an old generation waits for that, and drops it. */
  flush(): Promise<Result<void>> {
    if (!this.#flushing) return this.#alone(() => this.#all());
    this.#next ??= this.#flushNext();
    return this.#next;
  }

  /** Runs after the round that is running. Until it begins, all further calls of `flush` share it. */
  async #flushNext(): Promise<Result<void>> {
    let hasBegun = false;
    const outcome = await this.#alone(() => {
      hasBegun = true;
      this.#next = undefined;
      return this.#all();
    });
    if (!hasBegun) this.#next = undefined;
    return outcome;
  }

  /** A copy: under load sessions join all the time, and a round would never end. */
  #all(): readonly JsonlSession[] {
    this.#bytes = 0;
    return [...this.#behind];
  }

  async #alone(choose: () => readonly JsonlSession[]): Promise<Result<void>> {
    while (this.#flushing) {
      const outcome = await this.#flushing;
      if (!outcome.ok) return outcome;
    }
    const chosen = choose();
    const retiring = this.#retiring.length;
    return chosen.length === 0 && retiring === 0 ? ok(undefined) : this.#begin(chosen, retiring);
  }

  /** Starts a round for these sessions, after which `retiring` old generations may be removed. */
  #begin(sessions: readonly JsonlSession[], retiring: number): Promise<Result<void>> {
    if (this.#refusal) return Promise.resolve(err(this.#refusal));
    this.#flushing = this.#run(sessions, retiring).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Writes everything to files and syncs them. */
  async sync(): Promise<Result<void>> {
    const flushed = await this.flush();
    return flushed.ok ? this.#syncWithOthers([...this.#unsynced]) : flushed;
  }

  /** The same for one session. */
  async syncOne(session: JsonlSession): Promise<Result<void>> {
    while (this.#flushing) await this.#flushing;
    const flushed = await this.#begin([session], 0);
    if (!flushed.ok) return flushed;
    for (const file of sessionFiles) if (session.state.written[file].seq > 0) session.unsynced.add(file);
    return this.#syncWithOthers([session]);
  }

  /** Waits for the running rounds and syncs and starts no more: afterwards another process may own the files. */
  async stop(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#refusal ??= domainError("LEDGER_UNAVAILABLE", "the log was shut down", { retryable: false });
    while (this.#flushing) await this.#flushing;
    await Promise.all(this.#syncing);
    await this.#flusher.close();
  }

  async #rest(): Promise<void> {
    if (!this.#options.isIdle()) return this.nudge();
    await this.#options.settle();
    await this.#alone(() => this.#due());
    if (this.#behind.size > 0) this.nudge();
  }

  /**
   * A session that is still recording is written once it pauses or ends: its files are opened once, not for every few
   * lines.
   */
  #due(): readonly JsonlSession[] {
    if (this.#retiring.length > 0) return [...this.#behind]; // an old generation is removed when every file is up to date
    const old = this.#options.clock.monotonic() - this.#options.pauseMs;
    return [...this.#behind].filter(({ isClosed, behindSince = 0 }) => isClosed || behindSince <= old);
  }

  async #run(sessions: readonly JsonlSession[], retiring: number): Promise<Result<void>> {
    const { pending, index } = this.#options;
    if (sessions.length >= manySessions) this.#flusher.expectMuch();
    const round = planFlush(sessions, pending);
    const made = sessions.filter((_, at) => round.targets[at]?.folder !== undefined).map(({ state }) => state);
    const flushed = await index.around(made, () => this.#flusher.flush(round));
    endFlush(round, flushed, pending);
    for (const session of sessions.slice(0, flushed.done)) this.#markFlushed(session);
    if (flushed.failure !== undefined) {
      this.#retryMs = 1_000; // the journal has the events: nothing is lost, only late
      this.#putLast(sessions[flushed.done]);
      this.nudge();
      return err(this.#failed(flushed.failure));
    }
    this.#retryMs = 0;
    return retiring > 0 ? this.#drop(retiring) : ok(undefined);
  }

  /** The session's files hold what it had recorded when the round began. */
  #markFlushed(session: JsonlSession): void {
    if (session.unsynced.size > 0) this.#unsynced.add(session);
    const isBehind = session.state.written.events.seq < session.state.durableSeq || session.snapshot !== undefined;
    session.behindSince = isBehind ? this.#options.clock.monotonic() : undefined;
    if (isBehind) return;
    this.#behind.delete(session);
    if (session.isClosed) this.#options.finished(session);
  }

  /** Moves the session to the end: if its files keep failing, those of the others are written first next time. */
  #putLast(session: JsonlSession | undefined): void {
    if (session && this.#behind.delete(session)) this.#behind.add(session);
  }

  async #drop(count: number): Promise<Result<void>> {
    const { disk, failpoint, journalFolder, index } = this.#options;
    const synced = await this.#syncWithOthers([...this.#unsynced]);
    if (!synced.ok) return synced;
    index.save();
    failpoint("rotate.after-sync");
    try {
      for (const file of this.#retiring.splice(0, count)) {
        file.close();
        disk.remove(file.path);
      }
      await disk.syncFolder(journalFolder);
      return ok(undefined);
    } catch (thrown) {
      return err(this.#failed(thrown)); // a generation that stays, or reappears, holds only what the files hold
    }
  }

  /** Syncs these sessions, and waits for syncs of their files that other callers started. */
  async #syncWithOthers(sessions: readonly JsonlSession[]): Promise<Result<void>> {
    const outcomes = await Promise.all([...this.#syncing, this.#sync(sessions)]);
    return this.#refusal ? err(this.#refusal) : (outcomes.find(({ ok: isSynced }) => !isSynced) ?? ok(undefined));
  }

  async #sync(sessions: readonly JsonlSession[]): Promise<Result<void>> {
    for (const session of sessions) this.#unsynced.delete(session);
    const syncing = this.#syncFiles(sessions.map(takeUnsynced));
    this.#syncing.add(syncing);
    const outcome = await syncing;
    this.#syncing.delete(syncing);
    return outcome;
  }

  async #syncFiles(taken: readonly Unsynced[]): Promise<Result<void>> {
    const folders = new Set<string>();
    const waiting = [...taken];
    const worker = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        for (const folder of await syncSessionFiles(next, this.#options.disk)) folders.add(folder);
    };
    // All of them settle: a file that one could not open says nothing about a sync that another is running.
    const ends = await Promise.allSettled([worker(), worker(), worker(), worker()]);
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    try {
      if (failures.length === 0) await syncFolders(this.#options.disk, folders);
    } catch (thrown) {
      failures.push(thrown);
    }
    if (failures.length === 0) return ok(undefined);
    const failed = failures.find((thrown) => !isUntried(thrown));
    return err(failed === undefined ? this.#syncLater(taken, failures[0]) : this.#endWriting(failed));
  }

  #syncLater(taken: readonly Unsynced[], thrown: unknown): DomainError {
    for (const each of taken) {
      putBack(each);
      this.#unsynced.add(each.session);
    }
    this.#retryMs = 1_000;
    this.nudge();
    return this.#failed(thrown);
  }

  /**
   * The kernel may have marked the pages clean. Only the journal is reliable: keep it, write nothing more, let recovery
   * rebuild the files.
   */
  #endWriting(thrown: unknown): DomainError {
    const error = this.#failed(thrown, false);
    this.#refusal ??= error;
    this.#options.poison(error);
    return error;
  }

  #failed(thrown: unknown, retryable: boolean = isPassing(thrown)): DomainError {
    return domainError("LEDGER_UNAVAILABLE", `the session files could not be written: ${messageOf(thrown)}`, {
      retryable,
      cause: thrown,
    });
  }
}
