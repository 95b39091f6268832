import { hostname } from "node:os";
import { type DomainError, domainError, err, isSessionId, ok, type Result, type SessionId } from "#base";
import { migratePostgres, postgresFailure } from "#store";
import type { SessionLog } from "../event-log.ts";
import type { RecoveredSession } from "../jsonl/recover.ts";
import type { LedgerRules } from "../ledger.ts";
import { badSessionId, openHereAlready } from "../session-errors.ts";
import { SessionRecorder, timestamps } from "../session-recorder.ts";
import { emptyMarks, type SessionMarks, SessionState } from "../session-state.ts";
import type { Tier } from "../tier.ts";
import { GroupAppend } from "./group-append.ts";
import type { PostgresLogLimits, PostgresLogOptions } from "./options.ts";
import { PostgresSession, type SessionHome } from "./postgres-session.ts";
import { logMigrations, sql } from "./sql.ts";
import { proveMarks, takeOver } from "./take-over.ts";

export interface WriterOptions extends PostgresLogOptions {
  readonly tenant: string;
  readonly rules: LedgerRules;
  readonly limits: PostgresLogLimits;
}

const beatWriter = sql("beat-writer");
const endWriter = sql("end-writer");
const releaseSession = sql("release-session");
const orphanedSessions = sql("orphaned-sessions");
const orphansAtOnce = 1_000;

/** The writing half: the sessions that this process owns, its sign of life, and how it takes over those of the dead. */
export class PostgresWriter {
  readonly #options: WriterOptions;
  readonly #writer_id: string;
  readonly #sessions = new Map<string, PostgresSession>();
  readonly #append: GroupAppend;
  readonly #timestamp: () => string;
  readonly #home: SessionHome;
  #starting: Promise<Result<void>> | undefined;
  #cancelBeat: (() => void) | undefined;
  #ended: DomainError | undefined;

  constructor(options: WriterOptions) {
    const { postgres, tenant, clock, ids, limits } = options;
    this.#options = options;
    this.#writer_id = ids.sortable("writer");
    this.#timestamp = timestamps(clock);
    this.#append = new GroupAppend({
      postgres,
      tenant,
      clock,
      writer_id: this.#writer_id,
      batchBytes: limits.batchBytes,
      idleMs: limits.idleMs,
    });
    this.#home = {
      refusal: () => this.#append.ended,
      put: (session, text, entry) => this.#append.put({ session, text, entry }),
      closed: (session) => void this.#sessions.delete(session.state.session_id),
      release: (session) => this.#release(session),
    };
  }

  session(session_id: SessionId): PostgresSession | undefined {
    return this.#sessions.get(session_id);
  }

  /** Gives the first sign of life and sees to the sessions of the dead, once. A failed start may be tried again. */
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
    if (this.#sessions.has(session_id)) return err(openHereAlready(session_id));
    const { postgres, tenant, rules } = this.#options;
    const owner = { writer_id: this.#writer_id, evenClosed: false };
    const taken = await takeOver(postgres, tenant, session_id, owner);
    if (!taken.ok) return taken;
    const marks = await proveMarks(postgres, tenant, session_id, rules);
    if (!marks.ok) {
      await this.#letGo(session_id, taken.value.epoch);
      return marks;
    }
    const recorder = this.#adopt(session_id, { ...taken.value, marks: marks.value });
    if (!taken.value.orphaned) return ok(recorder);
    const noted = await recorder.append(recoveryNote(marks.value.events.seq));
    return noted.ok ? ok(recorder) : noted;
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
    return this.#adoptOrphans();
  }

  async #beat(): Promise<Result<void>> {
    const { clock, limits } = this.#options;
    const name = `process ${process.pid} on ${hostname()}`;
    const beaten = await this.#do(beatWriter, [this.#writer_id, name, limits.writerLeaseMs]);
    // One that fails is followed by the next; if all do, our sessions are taken over and the epoch tells us so.
    if (!this.#ended) this.#cancelBeat = clock.after(limits.writerLeaseMs / 3, () => void this.#beat());
    return beaten;
  }

  /** Sessions of dead writers: the log of each that was open says what happened to it. */
  async #adoptOrphans(): Promise<Result<void>> {
    const { postgres, tenant, onRecovered } = this.#options;
    const recovered: RecoveredSession[] = [];
    try {
      const rows = await postgres.rows(orphanedSessions, [tenant, orphansAtOnce]);
      for (const [id] of rows) {
        const session_id = id as SessionId;
        const owner = { writer_id: this.#writer_id, evenClosed: true };
        const taken = await takeOver(postgres, tenant, session_id, owner);
        if (!taken.ok) continue; // somebody else sees to it
        const { tier, epoch, closed } = taken.value;
        let head = taken.value.head;
        if (!closed) {
          const marks: SessionMarks = { ...emptyMarks, events: { ...head, bytes: 0 } };
          const recorder = this.#adopt(session_id, { tier, epoch, marks });
          const noted = await recorder.append(recoveryNote(head.seq));
          if (noted.ok) head = { seq: noted.value.seq, hash: noted.value.hash };
          this.#sessions.delete(session_id);
        }
        await this.#letGo(session_id, epoch);
        recovered.push({ session_id, tier, head, closed });
      }
    } catch (thrown) {
      return err({ ...postgresFailure(thrown), code: "LEDGER_UNAVAILABLE" });
    }
    if (recovered.length > 0) onRecovered?.(recovered);
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
    const released = await this.#letGo(session_id, session.epoch);
    if (released.ok) this.#sessions.delete(session_id);
    return released;
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
