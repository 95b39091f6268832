import { codeOfError, domainError, messageOf } from "#core/errors";
import { type Clock, err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { Event } from "../event.ts";
import type {
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
import type { LedgerRules } from "../ledger.ts";
import { newestOf } from "../newest-sessions.ts";
import { rawLines } from "../raw-lines.ts";
import { eventByEvent, eventsOf, untilClosed } from "../read-events.ts";
import { badSessionId } from "../session-errors.ts";
import { emptiedFile, withoutEvents } from "./emptied-file.ts";
import { fileLines, type Portion } from "./file-lines.ts";
import { followLines } from "./follow.ts";
import { JournalScans } from "./journal-scans.ts";
import type { JsonlSession } from "./jsonl-session.ts";
import { idsOfSessions, type KnownSessions, type ListedSessions, listSessions } from "./list-sessions.ts";
import { sessionsAtWork } from "./listing/sessions-at-work.ts";
import { sessionPaths } from "./paths.ts";
import { readLedgerLines } from "./read-ledger.ts";
import { type Position, readLines, readOwnLines } from "./read-lines.ts";
import { findSegments, type Journals, placeOnDisk, sessionNotFound } from "./session-paths.ts";

export interface ReaderOptions {
  readonly root: string;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  readonly pollMs: number;
  /** What this process writes; absent where it only reads. */
  readonly own?: OwnSessions;
}

/**
 * The sessions that this process writes: their newest lines are in memory. A released session is complete in its file,
 * so the journal of this process need not be read.
 */
export interface OwnSessions extends ListedSessions {
  /** The name of the journal, while there is one. */
  journal(): string | undefined;
}

/** Takes no lock and writes nothing. */
export class JsonlReader implements LogReader {
  readonly #options: ReaderOptions;
  readonly #known: KnownSessions = new Map();
  readonly #scans = new JournalScans();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  read(session_id: SessionId, options: ReadOptions = {}): AsyncGenerator<Result<Event>> {
    return eventByEvent(this.readBatches(session_id, options));
  }

  readBatches(session_id: SessionId, options: ReadOptions = {}): AsyncGenerator<Result<readonly Event[]>> {
    return guarded(session_id, () => this.#spoken(session_id, options));
  }

  readLines(session_id: SessionId): AsyncGenerator<Result<readonly RawLine[]>> {
    return rawLines(this.#portions(session_id));
  }

  readLedger(session_id: SessionId, ledger: LedgerName): AsyncGenerator<Result<readonly RawLine[]>> {
    return rawLines(guarded(session_id, () => this.#ledgerPortions(session_id, ledger)));
  }

  follow(session_id: SessionId, { from, signal }: FollowOptions): AsyncGenerator<Result<Event>> {
    const { root, clock, pollMs, own } = this.#options;
    const lines = guarded(session_id, () =>
      followLines(session_id, signal, {
        root,
        clock,
        pollMs,
        own: (id) => own?.session(id),
        journals: () => this.#journals(),
        ownLines,
      }),
    );
    return untilClosed(eventsOf(lines, session_id, from === undefined ? {} : { from }), signal);
  }

  list(): AsyncGenerator<Result<SessionInfo>> {
    return listSessions(this.#journals(), this.#options.own, this.#known);
  }

  ids(): AsyncGenerator<Result<SessionId>> {
    return idsOfSessions(this.#journals(), this.#options.own);
  }

  async newest(options: NewestOptions): Promise<Result<NewestSessions>> {
    const { newestSessions } = await import("./listing/newest-sessions.ts");
    const indexed = await newestSessions(this.#journals(), this.#options.own, options);
    return indexed ?? newestOf(this.list(), options);
  }

  atWork(ids: readonly SessionId[]): Promise<Result<ReadonlySet<string>>> {
    return sessionsAtWork(ids, this.#journals(), this.#options.own);
  }

  async locate(session_id: SessionId): Promise<Result<SessionPlace>> {
    const { root, own } = this.#options;
    if (!isSessionId(session_id)) return badSessionId(session_id);
    const session = own?.session(session_id);
    if (session) return ok({ tier: session.state.tier, folder: session.paths.folder });
    const place = placeOnDisk(root, session_id);
    if (place) return ok(place);
    const found = await findSegments(this.#journals(), session_id);
    if (!found.ok) return found;
    found.value.close();
    const tier = found.value.segments[0]?.base.tier;
    return tier ? ok({ tier, folder: sessionPaths(root, tier, session_id).folder }) : sessionNotFound(session_id);
  }

  /** The events. A file without events whose session no writer claims is damage, not an empty session. */
  async *#spoken(session_id: SessionId, options: ReadOptions): AsyncGenerator<Result<readonly Event[]>> {
    let isSilent = true;
    for await (const batch of eventsOf(this.#portions(session_id, options.after), session_id, options)) {
      isSilent = false;
      yield batch;
    }
    if (!isSilent || options.after || this.#options.own?.session(session_id)) return;
    const emptied = await emptiedFile(this.#journals(), session_id);
    if (!emptied.ok) yield emptied;
    else if (emptied.value !== undefined) yield withoutEvents(emptied.value, session_id);
  }

  #portions(session_id: SessionId, after: Position = { seq: 0, bytes: 0 }): AsyncGenerator<Result<Portion>> {
    const position: Position = { seq: after.seq, bytes: after.bytes };
    return guarded(session_id, () => {
      const session = this.#options.own?.session(session_id);
      return session ? ownLines(session, position) : readLines(this.#journals(), session_id, position);
    });
  }

  #ledgerPortions(session_id: SessionId, ledger: LedgerName): AsyncGenerator<Result<Portion>> {
    const session = this.#options.own?.session(session_id);
    return session
      ? ownLedger(session, ledger)
      : readLedgerLines(this.#journals(), session_id, ledger, this.#options.rules);
  }

  #journals(): Journals {
    const { root, own } = this.#options;
    return { root, without: own?.journal(), scans: this.#scans };
  }
}

/** Checks the id, which becomes part of a path, and turns exceptions of the disk into values: once for all reads. */
async function* guarded<T>(session_id: SessionId, open: () => AsyncGenerator<Result<T>>): AsyncGenerator<Result<T>> {
  if (!isSessionId(session_id)) {
    yield badSessionId(session_id);
    return;
  }
  try {
    yield* open();
  } catch (thrown) {
    if (codeOfError(thrown) === undefined) throw thrown;
    yield err(
      domainError("LEDGER_UNAVAILABLE", `the session ${session_id} could not be read: ${messageOf(thrown)}`, {
        cause: thrown,
      }),
    );
  }
}

function ownLines(session: JsonlSession, position: Position): AsyncGenerator<Result<Portion>> {
  const { state, paths } = session;
  if (state.durableSeq === 0) return none();
  return readOwnLines(
    { file: paths.events, written: state.written.events, pending: session.pending("events") },
    position,
  );
}

async function* ownLedger(session: JsonlSession, ledger: LedgerName): AsyncGenerator<Result<Portion>> {
  const { state, paths } = session;
  const texts = session.pending(ledger).toString().split("\n");
  texts.pop();
  const end = state.written[ledger].bytes;
  if (end > 0) for await (const portion of fileLines(paths[ledger], 0, end)) yield ok(portion);
  if (texts.length > 0) yield ok({ texts, fault: undefined, bytes: 0 });
}

async function* none(): AsyncGenerator<Result<Portion>> {}
