import { hostname } from "node:os";
import { join } from "node:path";
import { holdLiveness, type LivenessLock } from "#core/database";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, isoTime, isSessionId, noFailpoints, ok, type Result, type SessionId } from "#core/values";
import type { SessionLog } from "../event-log.ts";
import type { LedgerRules } from "../ledger.ts";
import { closedError, openHereAlready } from "../session-errors.ts";
import { SessionRecorder, type Timestamps, timestamps } from "../session-recorder.ts";
import { emptyMarks, type SessionMarks, SessionState } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { adoptSession } from "./adopt-session.ts";
import { checkUnclaimed, finishDeadJournals } from "./claims.ts";
import { type Disk, foldersBetween, realDisk, syncFolders } from "./disk.ts";
import { Journal } from "./journal.ts";
import type { OwnSessions } from "./jsonl-reader.ts";
import { JsonlSession, type SessionHome } from "./jsonl-session.ts";
import { IndexKeeper } from "./listing/index-keeper.ts";
import type { JsonlLimits, JsonlLogOptions } from "./options.ts";
import { journalFolder, livenessName, sessionPaths } from "./paths.ts";
import { type PendingEnds, PendingWrites } from "./pending-writes.ts";
import type { RecoverDeps } from "./recover.ts";
import { placeOnDisk, sessionNotFound } from "./session-paths.ts";
import { WorkspaceLock } from "./workspace-lock.ts";
import { WriteBehind } from "./write-behind.ts";

interface WriterOptions extends JsonlLogOptions {
  readonly rules: LedgerRules;
  readonly limits: JsonlLimits;
}

/** What exists once this process writes. */
interface Running {
  readonly journal: Journal;
  readonly behind: WriteBehind;
  readonly home: SessionHome;
  readonly liveness: LivenessLock;
}

/** The writing half: this process's journal, the sessions it owns, and the adoption of others. */
export class JsonlWriter implements OwnSessions {
  readonly #options: WriterOptions;
  readonly #disk: Disk;
  readonly #instance: string;
  readonly #folder: string;
  readonly #sessions = new Map<string, JsonlSession>();
  readonly #timestamp: Timestamps = timestamps();
  readonly #lock: WorkspaceLock;
  readonly #index: IndexKeeper;
  #starting: Promise<Result<Running>> | undefined;
  #running: Running | undefined;
  #ended: DomainError | undefined;
  #ending: Promise<Result<void>> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
    this.#instance = options.ids.sortable("journal");
    this.#folder = join(journalFolder(options.root), this.#instance);
    this.#index = new IndexKeeper(options.root);
    this.#lock = new WorkspaceLock(options.root, { clock: options.clock, waitMs: options.limits.lockWaitMs });
  }

  session(session_id: SessionId): JsonlSession | undefined {
    return this.#sessions.get(session_id);
  }

  all(): Iterable<JsonlSession> {
    return this.#sessions.values();
  }

  pendingEnds(): ReadonlyMap<number, PendingEnds> {
    return this.#running?.home.pending.ends() ?? new Map();
  }

  journal(): string | undefined {
    return this.#running && this.#instance;
  }

  /** Begins the journal, once. A failed start may be tried again. */
  start(): Promise<Result<Running>> {
    if (this.#ended) return Promise.resolve(err(this.#ended));
    this.#starting ??= this.#lock
      .hold(() => this.#begin())
      .catch((thrown: unknown) => err(this.#cannotBegin(thrown)))
      .then((outcome) => {
        if (!outcome.ok) this.#starting = undefined;
        return outcome;
      });
    return this.#starting;
  }

  create(session_id: SessionId, tier: Tier): SessionLog {
    return this.#adopt(session_id, tier, emptyMarks).recorder;
  }

  async open(session_id: SessionId): Promise<Result<SessionLog>> {
    if (!isSessionId(session_id))
      return err(domainError("MALFORMED_INPUT", `${JSON.stringify(session_id)} is not a session id`));
    const started = await this.start();
    if (!started.ok) return started;
    return this.#lock.hold(() => this.#open(session_id, started.value));
  }

  /** Keeps it for the next round of the session's files; false where those are written already. */
  takeSnapshot(session_id: SessionId, text: string): boolean {
    const session = this.#sessions.get(session_id);
    if (session?.isClosed !== true || session.behindSince === undefined) return false;
    session.snapshot = text;
    this.#running?.behind.nudge();
    return true;
  }

  async flush(): Promise<Result<void>> {
    if (!this.#running) return ok(undefined);
    await this.#running.journal.settle();
    return this.#running.journal.poison ? err(this.#running.journal.poison) : this.#running.behind.flush();
  }

  /** Runs once; later calls get the same outcome. */
  shutdown(): Promise<Result<void>> {
    this.#ending ??= this.#end(domainError("LEDGER_UNAVAILABLE", "the log was shut down", { retryable: false }));
    return this.#ending;
  }

  /** When a file could not be written the journal stays, and the next process that opens the workspace finishes it. */
  async #end(reason: DomainError): Promise<Result<void>> {
    this.#ended = reason;
    await this.#starting;
    const running = this.#running;
    if (!running) return ok(undefined);
    this.#running = undefined;
    await running.journal.settle();
    running.journal.stop(reason);
    await running.journal.ended();
    const poison = running.journal.poison === reason ? undefined : running.journal.poison;
    const synced = poison ? err(poison) : await running.behind.sync();
    await running.behind.stop();
    running.journal.close();
    this.#sessions.clear();
    this.#index.save();
    if (synced.ok) this.#disk.remove(running.journal.path);
    running.liveness.release();
    if (synced.ok) this.#disk.remove(this.#folder);
    return synced;
  }

  async #begin(): Promise<Result<Running>> {
    const recovered = await this.#finishDead();
    if (!recovered.ok) return recovered;
    const { clock, failpoint = noFailpoints, limits } = this.#options;
    let liveness: LivenessLock | undefined;
    try {
      const made = this.#disk.makeFolder(this.#folder);
      if (made !== undefined) await syncFolders(this.#disk, foldersBetween(journalFolder(this.#options.root), made));
      liveness = holdLiveness(join(this.#folder, livenessName));
    } catch (thrown) {
      return err(this.#cannotBegin(thrown));
    }
    if (!liveness)
      return err(domainError("LEDGER_UNAVAILABLE", `the journal ${this.#folder} is held by another process`));
    const pending = new PendingWrites(4 * limits.maxBehindBytes); // twice as much may wait, and their ledgers come on top
    const journal: Result<Journal> = await Journal.begin({
      folder: this.#folder,
      owner: { instance: this.#instance, pid: process.pid, host: hostname(), started_at: isoTime(clock.now()) },
      disk: this.#disk,
      clock,
      failpoint,
      memory: pending,
      limit: () => this.#rotationLimit(),
      claims: () => [...this.#sessions.values()].filter((session) => !session.isClosed),
      committed: (bytes) => behind.committed(bytes),
      retire: (file) => behind.retire(file),
      pressure: (length) => behind.pressure(length, 2 * this.#rotationLimit()),
    });
    if (!journal.ok) {
      liveness.release();
      return journal;
    }
    const behind: WriteBehind = new WriteBehind({
      disk: this.#disk,
      clock,
      failpoint,
      pending,
      journalFolder: this.#folder,
      index: this.#index,
      idleMs: limits.idleMs,
      pauseMs: limits.pauseMs,
      maxBehindBytes: limits.maxBehindBytes,
      isIdle: () => journal.value.idle,
      settle: () => journal.value.settle(),
      poison: (error) => journal.value.stop(error),
      finished: (session) => this.#forget(session),
    });
    const home: SessionHome = {
      root: this.#options.root,
      pending,
      refusal: () => journal.value.poison,
      line: journal.value.line,
      ledgers: journal.value.ledgers,
      isAtRest: () => journal.value.isAtRest,
      put: (session, entry) => journal.value.put(session, entry),
      staged: () => behind.nudge(),
      ahead: (session) => behind.ahead(session),
      release: (session) => this.#release(session),
    };
    this.#running = { journal: journal.value, behind, home, liveness };
    return ok(this.#running);
  }

  #cannotBegin(thrown: unknown): DomainError {
    return domainError("LEDGER_UNAVAILABLE", `cannot begin a journal in ${this.#folder}: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }

  async #open(session_id: SessionId, running: Running): Promise<Result<SessionLog>> {
    const own = this.#sessions.get(session_id);
    if (own?.isClosed) return err(closedError(session_id));
    if (own) return err(openHereAlready(session_id));
    const finished = await this.#finishDead();
    if (!finished.ok) return finished;
    const unclaimed = await checkUnclaimed(session_id, this.#instance, this.#options.root);
    if (!unclaimed.ok) return unclaimed;
    const place = placeOnDisk(this.#options.root, session_id);
    if (!place) return sessionNotFound(session_id);
    const paths = sessionPaths(this.#options.root, place.tier, session_id);
    const taken = await adoptSession(session_id, paths, this.#options.rules, this.#disk);
    if (!taken.ok) return taken;
    if (this.#ended) return err(this.#ended); // meanwhile
    const { session, recorder } = this.#adopt(session_id, place.tier, taken.value.marks);
    const claimed = await running.journal.frame(session.claim(running.journal.generation));
    if (!claimed.ok) {
      this.#sessions.delete(session_id);
      return claimed;
    }
    session.confirm();
    if (taken.value.cutBytes > 0) {
      const payload = {
        at_seq: taken.value.marks.events.seq,
        cut_bytes: taken.value.cutBytes,
        source: "file" as const,
      };
      const noted = await recorder.append({ type: "log.recovered", actor: "log", payload });
      if (!noted.ok) return noted;
    }
    return ok(recorder);
  }

  #adopt(
    session_id: SessionId,
    tier: Tier,
    marks: SessionMarks,
  ): { readonly session: JsonlSession; readonly recorder: SessionRecorder } {
    const { schemas, redactor, clock, ids, limits, rules, failpoint = noFailpoints } = this.#options;
    const running = this.#running;
    if (!running) throw new Error("a session cannot be adopted before the journal has begun");
    const state = new SessionState({ session_id, tier, marks, rules });
    const session = new JsonlSession(state, running.home);
    const deps = { schemas, redactor, clock, ids, failpoint, maxPayloadBytes: limits.maxPayloadBytes };
    const recorder = new SessionRecorder(state, session, deps, this.#timestamp);
    session.recorder = recorder;
    this.#sessions.set(session_id, session);
    return { session, recorder };
  }

  async #release(session: JsonlSession): Promise<Result<void>> {
    const running = this.#running;
    if (!running) return ok(undefined);
    await running.journal.settle();
    const synced = await running.behind.syncOne(session);
    if (!synced.ok) return synced;
    const released =
      session.generation === 0
        ? ok(undefined)
        : await running.journal.frame({ frame: "release", session_id: session.state.session_id });
    if (released.ok) this.#forget(session);
    return released;
  }

  #forget(session: JsonlSession): void {
    this.#sessions.delete(session.state.session_id);
    for (const wake of session.followers) wake();
  }

  #rotationLimit(): number {
    const { journalBytes } = this.#options.limits;
    return Math.min(16 * journalBytes, Math.max(journalBytes, (this.#sessions.size * journalBytes) / 256));
  }

  async #finishDead(): Promise<Result<void>> {
    const { root, failpoint = noFailpoints, rules, ids, onRecovered } = this.#options;
    const stamp = () => ({ id: ids.eventId(), ts: this.#timestamp(this.#options.clock.now()) });
    const deps: RecoverDeps = { root, disk: this.#disk, failpoint, rules, stamp };
    const recovered = await finishDeadJournals(this.#instance, deps);
    if (!recovered.ok) return recovered;
    if (recovered.value.length > 0) onRecovered?.(recovered.value);
    return ok(undefined);
  }
}
