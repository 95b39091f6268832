import { hostname } from "node:os";
import { migratePostgres, postgresFailure } from "#core/database";
import { type DomainError, domainError } from "#core/errors";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { SessionLog } from "../event-log.ts";
import type { RecoveredSession } from "../jsonl/recover.ts";
import type { LedgerRules } from "../ledger.ts";
import { LedgerWriter } from "../ledger-writer.ts";
import { LineWriter } from "../line-writer.ts";
import { badSessionId, openHereAlready } from "../session-errors.ts";
import { SessionRecorder, type Timestamps, timestamps } from "../session-recorder.ts";
import { emptyMarks, type SessionMarks, SessionState } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { adoptSession, proveMarks, type TakenSession } from "./adopt-session.ts";
import { GroupAppend } from "./group-append.ts";
import type { PostgresLogLimits, PostgresLogOptions } from "./options.ts";
import { PostgresSession, type SessionHome } from "./postgres-session.ts";
import { SingleLine } from "./single-line.ts";
import { logMigrations, sql } from "./sql.ts";

export interface WriterOptions extends PostgresLogOptions {
  readonly tenant: string;
  readonly rules: LedgerRules;
  readonly limits: PostgresLogLimits;
}

const beatWriter = sql("beat-writer");
const endWriter = sql("end-writer");
const forgetWriters = sql("forget-writers");
const releaseSession = sql("release-session");
const orphanedSessions = sql("orphaned-sessions");
const writtenSessions = sql("written-sessions");
const orphansAtOnce = 1_000;
const beatsPerLease = 3;

/**
 * The writing half: the sessions that this process owns, its heartbeat, and the adoption of sessions of dead processes.
 */
export class PostgresWriter {
  readonly #options: WriterOptions;
  readonly #writer_id: string;
  readonly #sessions = new Map<string, PostgresSession>();
  /** Sessions of dead writers, owned by this process until `onOrphan` has settled them. */
  readonly #held = new Map<string, { readonly orphan: RecoveredSession; readonly epoch: number }>();
  /** Sessions that a call in this process is adopting. */
  readonly #opening = new Set<string>();
  readonly #append: GroupAppend;
  readonly #timestamp: Timestamps = timestamps();
  readonly #home: SessionHome;
  #starting: Promise<Result<void>> | undefined;
  #cancelBeat: (() => void) | undefined;
  #beats = 0;
  /** When this writer's last heartbeat reached the database, on its own clock. */
  #heartbeatAt: number | undefined;
  #judgesFrom = 0;
  #ended: DomainError | undefined;

  constructor(options: WriterOptions) {
    const { postgres, tenant, clock, ids, limits } = options;
    this.#options = options;
    this.#writer_id = ids.sortable("writer");
    this.#append = new GroupAppend({
      postgres,
      tenant,
      clock,
      writer_id: this.#writer_id,
      batchBytes: limits.batchBytes,
      idleMs: limits.idleMs,
    });
    this.#home = {
      line: new LineWriter(new SingleLine()),
      ledgers: new LedgerWriter(new SingleLine()),
      refusal: () => this.#append.ended,
      put: (session, text, entry) => this.#append.put({ session, text, entry }),
      left: (session) => this.#forget(session),
      release: (session) => this.#release(session),
    };
  }

  async writtenElsewhere(ids: readonly SessionId[]): Promise<Result<ReadonlySet<string>>> {
    const { postgres, tenant } = this.#options;
    try {
      const rows = await postgres.retrying(() => postgres.rows(writtenSessions, [tenant, ids, this.#writer_id]));
      return ok(new Set(rows.map(([id]) => id as string)));
    } catch (thrown) {
      return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
    }
  }

  session(session_id: SessionId): PostgresSession | undefined {
    return this.#sessions.get(session_id);
  }

  /** Sends the first heartbeat and adopts the sessions of dead processes, once. A failed start may be tried again. */
  start(): Promise<Result<void>> {
    if (this.#ended) return Promise.resolve(err(this.#ended));
    this.#starting ??= this.#begin().then((outcome) => {
      if (!outcome.ok) this.#starting = undefined;
      return outcome;
    });
    return this.#starting;
  }

  create(session_id: SessionId, tier: Tier): SessionLog {
    return this.#adopt(session_id, { tier, epoch: 1, marks: emptyMarks });
  }

  async open(session_id: SessionId): Promise<Result<SessionLog>> {
    if (!isSessionId(session_id)) return badSessionId(session_id);
    const started = await this.start();
    if (!started.ok) return started;
    if (this.#sessions.has(session_id) || this.#opening.has(session_id) || this.#held.has(session_id))
      return err(openHereAlready(session_id));
    this.#opening.add(session_id);
    try {
      return await this.#take(session_id);
    } finally {
      this.#opening.delete(session_id);
    }
  }

  async #take(session_id: SessionId): Promise<Result<SessionLog>> {
    const { postgres, tenant, rules } = this.#options;
    const owner = { writer_id: this.#writer_id, evenClosed: false, evenOwn: true, evenOrphaned: this.#mayJudgeOthers };
    const taken = await adoptSession(postgres, tenant, session_id, owner);
    if (!taken.ok) return taken;
    const marks = await proveMarks(postgres, tenant, session_id, rules);
    if (!marks.ok) {
      await this.#letGo(session_id, taken.value.epoch);
      return marks;
    }
    const recorder = this.#adopt(session_id, { ...taken.value, marks: marks.value });
    if (!taken.value.orphaned) return ok(recorder);
    const noted = await recorder.append(recoveryNote(marks.value.events.seq));
    if (noted.ok) return ok(recorder);
    this.#sessions.delete(session_id);
    await this.#letGo(session_id, taken.value.epoch);
    return noted;
  }

  async flush(): Promise<Result<void>> {
    await this.#append.settle();
    return this.#append.ended ? err(this.#append.ended) : ok(undefined);
  }

  async shutdown(): Promise<Result<void>> {
    if (this.#ended) return ok(undefined);
    this.#ended = domainError("LEDGER_UNAVAILABLE", "the log was shut down", { retryable: false });
    const started = await this.#starting;
    await this.#append.settle();
    this.#append.end(this.#ended);
    this.#cancelBeat?.();
    this.#sessions.clear();
    if (!started?.ok) return ok(undefined);
    return this.#do(endWriter, [this.#writer_id]);
  }

  async #begin(): Promise<Result<void>> {
    const { postgres } = this.#options;
    const migrated = await migratePostgres(postgres, "log", logMigrations);
    if (!migrated.ok) return migrated;
    const alive = await this.#beat();
    if (!alive.ok) return alive;
    const tidied = await this.#do(forgetWriters, []);
    return tidied.ok ? this.#adoptOrphans() : tidied;
  }

  async #beat(): Promise<Result<void>> {
    const { clock, limits } = this.#options;
    const name = `process ${process.pid} on ${hostname()}`;
    const beaten = await this.#do(beatWriter, [this.#writer_id, name, limits.writerLeaseMs]);
    if (beaten.ok) this.#noteHeartbeat();
    // After a failed heartbeat the next one follows; if all fail, another process adopts these sessions, and the next
    // append finds a newer epoch.
    if (!this.#ended)
      this.#cancelBeat = clock.after(limits.writerLeaseMs / beatsPerLease, () => void this.#beatAgain());
    return beaten;
  }

  /**
   * A writer whose heartbeats did not arrive cannot tell which other writers were silent for the same reason, an
   * unreachable database: for one lease it counts no writer as dead.
   */
  #noteHeartbeat(): void {
    const now = this.#options.clock.monotonic();
    const { writerLeaseMs } = this.#options.limits;
    if (this.#heartbeatAt !== undefined && now - this.#heartbeatAt > writerLeaseMs * (2 / 3))
      this.#judgesFrom = now + writerLeaseMs;
    this.#heartbeatAt = now;
  }

  get #mayJudgeOthers(): boolean {
    return this.#options.clock.monotonic() >= this.#judgesFrom;
  }

  /**
   * A long-running process also adopts the sessions of processes that end later: their share of the budget is freed,
   * and their logs record what happened.
   */
  async #beatAgain(): Promise<void> {
    const beaten = await this.#beat();
    this.#beats += 1;
    if (beaten.ok && this.#beats % beatsPerLease === 0 && this.#mayJudgeOthers && !this.#ended)
      await this.#adoptOrphans();
  }

  /** Adopts the sessions of dead writers; the log of each open one records what happened to it. */
  async #adoptOrphans(): Promise<Result<void>> {
    const { postgres, tenant, onRecovered } = this.#options;
    const recovered: RecoveredSession[] = [];
    try {
      const rows = await postgres.rows(orphanedSessions, [tenant, orphansAtOnce]);
      for (const [id] of rows) {
        const session_id = id as SessionId;
        if (this.#ended || this.#opening.has(session_id)) continue;
        const owner = { writer_id: this.#writer_id, evenClosed: true, evenOwn: false, evenOrphaned: true };
        const taken = await adoptSession(postgres, tenant, session_id, owner);
        if (!taken.ok) continue; // another process adopts it
        const { tier, epoch, closed } = taken.value;
        const head = closed ? taken.value.head : await this.#noteRecovery(session_id, taken.value);
        const orphan = { session_id, tier, head, closed };
        recovered.push(orphan);
        this.#held.set(session_id, { orphan, epoch });
      }
    } catch (thrown) {
      return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
    }
    if (recovered.length > 0) onRecovered?.(recovered);
    return this.#freeHeld();
  }

  async #noteRecovery(session_id: SessionId, { tier, epoch, head }: TakenSession): Promise<TakenSession["head"]> {
    const marks: SessionMarks = { ...emptyMarks, events: { ...head, bytes: 0 } };
    const recorder = this.#adopt(session_id, { tier, epoch, marks });
    const noted = await recorder.append(recoveryNote(head.seq));
    this.#sessions.delete(session_id);
    return noted.ok ? { seq: noted.value.seq, hash: noted.value.hash } : head;
  }

  /**
   * Releases the sessions of dead writers once `onOrphan` has settled them, not before: a process that resumes one
   * takes its share of the budget again, which must not be settled meanwhile. A session that could not be settled is
   * tried again with the next check.
   */
  async #freeHeld(): Promise<Result<void>> {
    for (const [session_id, { orphan, epoch }] of this.#held) {
      const settled = (await this.#options.onOrphan?.(orphan)) ?? ok(undefined);
      if (!settled.ok) return settled;
      this.#held.delete(session_id);
      await this.#letGo(session_id, epoch);
    }
    return ok(undefined);
  }

  #adopt(
    session_id: SessionId,
    { tier, epoch, marks }: { readonly tier: Tier; readonly epoch: number; readonly marks: SessionMarks },
  ): SessionRecorder {
    const { schemas, redactor, clock, ids, limits, rules } = this.#options;
    const state = new SessionState({ session_id, tier, marks, rules });
    const session = new PostgresSession(state, epoch, this.#home);
    const deps = { schemas, redactor, clock, ids, maxPayloadBytes: limits.maxPayloadBytes };
    session.recorder = new SessionRecorder(state, session, deps, this.#timestamp);
    this.#sessions.set(session_id, session);
    return session.recorder;
  }

  async #release(session: PostgresSession): Promise<Result<void>> {
    const { session_id } = session.state;
    await this.#append.settle();
    // Even if the release does not reach the database, this process no longer writes the session and may open it again.
    this.#forget(session);
    return this.#letGo(session_id, session.epoch);
  }

  #forget(session: PostgresSession): void {
    const { session_id } = session.state;
    if (this.#sessions.get(session_id) === session) this.#sessions.delete(session_id);
  }

  #letGo(session_id: string, epoch: number): Promise<Result<void>> {
    return this.#do(releaseSession, [session_id, this.#writer_id, epoch]);
  }

  async #do(statement: ReturnType<typeof sql>, values: readonly unknown[]): Promise<Result<void>> {
    const { postgres, tenant } = this.#options;
    try {
      await postgres.retrying(() => postgres.rows(statement, [tenant, ...values]));
      return ok(undefined);
    } catch (thrown) {
      return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
    }
  }
}

function recoveryNote(at_seq: number) {
  const reason = "its writer ended without closing or releasing it";
  return { type: "log.recovered", actor: "log", payload: { at_seq, cut_bytes: 0, reason } } as const;
}
