import { type Postgres, postgresFailure } from "#core/database";
import { domainError } from "#core/errors";
import { type Clock, err, isSessionId, ok, type Result, type SessionId, sleep } from "#core/values";
import type { Event } from "../event.ts";
import type {
  AnchorLines,
  FollowOptions,
  LedgerName,
  LogReader,
  NewestOptions,
  NewestSessions,
  RawLine,
  ReadOptions,
  SessionInfo,
  SessionPlace,
} from "../event-log.ts";
import { describe } from "../jsonl/list-sessions.ts";
import { sessionPaths } from "../jsonl/paths.ts";
import { sessionNotFound } from "../jsonl/session-paths.ts";
import type { LedgerRules } from "../ledger.ts";
import { parseLine } from "../line.ts";
import { newestOf } from "../newest-sessions.ts";
import { rawLines } from "../raw-lines.ts";
import { eventByEvent, eventsOf, type LinePortion, untilClosed } from "../read-events.ts";
import { badSessionId } from "../session-errors.ts";
import type { Tier } from "../tier.ts";
import { derivedLedger } from "./derived-ledger.ts";
import { pageLines } from "./page-lines.ts";
import type { PostgresSession } from "./postgres-session.ts";
import { sql } from "./sql.ts";

export interface PostgresReaderOptions {
  readonly postgres: Postgres;
  readonly tenant: string;
  readonly root: string;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  readonly pollMs: number;
  /** Reads the tenant's anchor log, where it is kept in the database. */
  readonly anchorLines?: (() => AnchorLines) | undefined;
  /** Sessions that this process writes: their followers are notified at once. */
  readonly own?: (session_id: SessionId) => PostgresSession | undefined;
}

const locateSession = sql("locate-session");
const listSessions = sql("list-sessions");
const sessionsAtWork = sql("sessions-at-work");
const listedAtOnce = 200;
const noSuchTable = "42P01";

/** Reads committed events. Takes no lock and writes nothing. */
export class PostgresReader implements LogReader {
  readonly #options: PostgresReaderOptions;
  readonly anchorLines: (() => AnchorLines) | undefined;

  constructor(options: PostgresReaderOptions) {
    this.anchorLines = options.anchorLines;
    this.#options = options;
  }

  read(session_id: SessionId, options: ReadOptions = {}): AsyncGenerator<Result<Event>> {
    return eventByEvent(this.readBatches(session_id, options));
  }

  readBatches(session_id: SessionId, options: ReadOptions = {}): AsyncGenerator<Result<readonly Event[]>> {
    return eventsOf(this.#portions(session_id, options.after?.seq), session_id, options);
  }

  readLines(session_id: SessionId): AsyncGenerator<Result<readonly RawLine[]>> {
    return rawLines(this.#portions(session_id));
  }

  readLedger(session_id: SessionId, ledger: LedgerName): AsyncGenerator<Result<readonly RawLine[]>> {
    return rawLines(derivedLedger(this.#portions(session_id), ledger, this.#options.rules));
  }

  follow(session_id: SessionId, { from, signal }: FollowOptions): AsyncGenerator<Result<Event>> {
    const lines = this.#endless(session_id, signal);
    return untilClosed(eventsOf(lines, session_id, from === undefined ? {} : { from }), signal);
  }

  async *list(): AsyncGenerator<Result<SessionInfo>> {
    for (let after = ""; ; ) {
      const rows = await this.#ask(listSessions, [after, listedAtOnce]);
      if (!rows.ok) {
        yield rows;
        return;
      }
      for (const [id, tier, firstLine, lastLine] of rows.value as readonly (readonly [
        SessionId,
        Tier,
        string,
        string,
      ])[]) {
        const [first, last] = [parseLine(firstLine), parseLine(lastLine)];
        if (first.ok && last.ok) yield ok(describe(id, tier, first.value, last.value));
        else yield damagedEnds(id, first.ok ? "last" : "first");
        after = id;
      }
      if (rows.value.length < listedAtOnce) return;
    }
  }

  async *ids(): AsyncGenerator<Result<SessionId>> {
    for await (const info of this.list()) if (info.ok) yield ok(info.value.session_id);
  }

  async atWork(ids: readonly SessionId[]): Promise<Result<ReadonlySet<string>>> {
    if (ids.length === 0) return ok(new Set());
    const rows = await this.#ask(sessionsAtWork, [ids]);
    return rows.ok ? ok(new Set(rows.value.map(([id]) => id as string))) : rows;
  }

  newest(options: NewestOptions): Promise<Result<NewestSessions>> {
    return newestOf(this.list(), options);
  }

  async locate(session_id: SessionId): Promise<Result<SessionPlace>> {
    if (!isSessionId(session_id)) return badSessionId(session_id);
    const own = this.#options.own?.(session_id);
    if (own) return ok(this.#place(session_id, own.state.tier));
    const found = await this.#ask(locateSession, [session_id]);
    if (!found.ok) return found;
    const [row] = found.value;
    return row ? ok(this.#place(session_id, row[0] as Tier)) : sessionNotFound(session_id);
  }

  #place(session_id: SessionId, tier: Tier): SessionPlace {
    return { tier, folder: sessionPaths(this.#options.root, tier, session_id).folder };
  }

  async #ask(statement: ReturnType<typeof sql>, values: readonly unknown[]) {
    const { postgres, tenant } = this.#options;
    try {
      return ok(await postgres.retrying(() => postgres.rows(statement, [tenant, ...values])));
    } catch (thrown) {
      const failure = postgresFailure(thrown);
      if (failure.details["sqlstate"] === noSuchTable) return ok([]); // nothing has been written here yet
      return err({ ...failure, code: "LEDGER_UNAVAILABLE" as const });
    }
  }

  async *#portions(session_id: SessionId, after = 0): AsyncGenerator<Result<LinePortion>> {
    if (!isSessionId(session_id)) {
      yield badSessionId(session_id);
      return;
    }
    const { postgres, tenant, own } = this.#options;
    let found = after > 0;
    for await (const portion of pageLines(postgres, tenant, session_id, after)) {
      found = true;
      yield portion;
    }
    if (!found && !own?.(session_id)) yield sessionNotFound(session_id);
  }

  /** Lines as they become durable, without end until the signal aborts. */
  async *#endless(session_id: SessionId, signal: AbortSignal): AsyncGenerator<Result<LinePortion>> {
    const { postgres, tenant, clock, pollMs, own } = this.#options;
    if (!isSessionId(session_id)) {
      yield badSessionId(session_id);
      return;
    }
    for (let seen = 0; !signal.aborted; ) {
      const next = nextCommit(own?.(session_id), signal); // before the query, so that no commit in between is missed
      for await (const portion of pageLines(postgres, tenant, session_id, seen)) {
        yield portion;
        if (!portion.ok || signal.aborted) return next.stop();
        seen += portion.value.texts.length;
      }
      await Promise.race([next.committed, sleep(clock, pollMs, signal)]);
      next.stop();
    }
  }
}

function nextCommit(session: PostgresSession | undefined, signal: AbortSignal) {
  let wake: () => void = () => undefined;
  const committed = new Promise<void>((resolve) => {
    if (!session || signal.aborted) return;
    wake = resolve;
    session.followers.add(wake);
  });
  return { committed, stop: () => void session?.followers.delete(wake) };
}

function damagedEnds(session_id: SessionId, which: "first" | "last"): Result<never> {
  return err(
    domainError("LEDGER_CORRUPT", `the ${which} event of ${session_id} does not verify`, { details: { session_id } }),
  );
}
