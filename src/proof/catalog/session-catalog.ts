import { type Clock, isoTime, ok, type Result, type SessionId } from "#core/values";
import type { Event, ListedSessions, LogReader, SessionInfo, SessionList } from "#log";
import { CatalogFold, type CataloguedSession, unread } from "./catalogued-session.ts";
import type { CatalogQuery, CatalogRow, CatalogStore } from "./store/catalog-store.ts";

export interface CatalogSources {
  readonly store: CatalogStore;
  readonly sessions: Pick<SessionList, "read">;
  readonly log: Pick<LogReader, "readBatches">;
  readonly clock: Clock;
  /** What policies that only watched decided in a session, of the events that concern it. */
  readonly shadowsOf: (session_id: SessionId, events: readonly Event[]) => readonly object[];
}

/** A caller waits for so many sessions to be read; the others are read behind its back. */
const readAtOnce = 48;
/** An open session is read on from where it was; so many are kept in memory for that. */
const mostOpen = 64;
const pauseMs = 1;

interface Reading {
  readonly fold: CatalogFold;
  seq: number;
}

/**
 * Keeps the catalog of sessions up to date: what a list shows, finds and sums up is folded once for each session that changed,
 * and kept in the shared store. A catalog that is lost is made anew, the newest sessions first.
 */
export class SessionCatalog {
  readonly #sources: CatalogSources;
  /** The head of each session as the store has it; undefined until it was asked. */
  #known: Map<string, string> | undefined;
  readonly #open = new Map<string, Reading>();
  #refreshed: { readonly listed: ListedSessions; readonly done: Promise<Result<void>> } | undefined;
  #behind: readonly SessionInfo[] = [];
  #isReading = false;

  constructor(sources: CatalogSources) {
    this.#sources = sources;
  }

  /** Sessions of which only the ends are known yet. */
  get unread(): number {
    return this.#behind.length;
  }

  async find(query: CatalogQuery): Promise<Result<{ readonly rows: readonly CatalogRow[]; readonly total: number }>> {
    const refreshed = await this.refresh();
    return refreshed.ok ? this.#sources.store.catalogued(query) : refreshed;
  }

  async of(ids: readonly string[]): Promise<Result<readonly CatalogRow[]>> {
    const refreshed = await this.refresh();
    return refreshed.ok ? this.#sources.store.cataloguedOf(ids) : refreshed;
  }

  /** Decisions of policies that only watched, by session, the oldest first. */
  async shadows(
    since: string | null,
  ): Promise<Result<readonly { session_id: string; decisions: readonly object[] }[]>> {
    const refreshed = await this.refresh();
    if (!refreshed.ok) return refreshed;
    const found = await this.#sources.store.cataloguedShadows(since && isoTime(Date.parse(since)));
    if (!found.ok) return found;
    return ok(
      found.value.map(({ session_id, shadows }) => ({
        session_id,
        decisions: JSON.parse(shadows) as readonly object[],
      })),
    );
  }

  /** Takes up what changed since the list was read last. Callers at the same time share it. */
  async refresh(): Promise<Result<void>> {
    const listed = await this.#sources.sessions.read();
    if (!listed.ok) return listed;
    if (this.#refreshed?.listed !== listed.value)
      this.#refreshed = { listed: listed.value, done: this.#update(listed.value) };
    const done = await this.#refreshed.done;
    if (!done.ok) this.#refreshed = undefined;
    return done;
  }

  async #update({ sessions }: ListedSessions): Promise<Result<void>> {
    const known = await this.#heads();
    if (!known.ok) return known;
    const changed = sessions.filter(({ session_id, head_hash }) => known.value.get(session_id) !== head_hash);
    const gone = known.value.size > sessions.length ? missing(known.value, sessions) : [];
    if (gone.length > 0) {
      const dropped = await this.#sources.store.dropCatalogued(gone);
      if (!dropped.ok) return dropped;
      for (const id of gone) known.value.delete(id);
    }
    const [now, later] = [changed.slice(0, readAtOnce), changed.slice(readAtOnce)];
    const read = await this.#fold(now, known.value);
    if (!read.ok) return read;
    const first = later.filter(({ session_id }) => !known.value.has(session_id));
    const put = await this.#sources.store.putCatalogued(first.map(unread));
    if (!put.ok) return put;
    for (const { session_id } of first) known.value.set(session_id, "");
    this.#behind = later;
    if (later.length > 0 && !this.#isReading) void this.#readBehind(known.value);
    return ok(undefined);
  }

  async #heads(): Promise<Result<Map<string, string>>> {
    if (this.#known) return ok(this.#known);
    const heads = await this.#sources.store.cataloguedHeads();
    if (!heads.ok) return heads;
    this.#known = new Map(heads.value);
    return ok(this.#known);
  }

  /** A failure of the store ends this: the next refresh begins it again. */
  async #readBehind(known: Map<string, string>): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#behind.length > 0) {
        const some = this.#behind.slice(0, readAtOnce);
        this.#behind = this.#behind.slice(readAtOnce);
        const read = await this.#fold(
          some.filter(({ session_id, head_hash }) => known.get(session_id) !== head_hash),
          known,
        );
        if (!read.ok) return;
        await new Promise<void>((resolve) => this.#sources.clock.after(pauseMs, resolve));
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #fold(changed: readonly SessionInfo[], known: Map<string, string>): Promise<Result<void>> {
    if (changed.length === 0) return ok(undefined);
    const rows: CataloguedSession[] = [];
    for (const info of changed) rows.push(await this.#read(info));
    const put = await this.#sources.store.putCatalogued(rows);
    if (!put.ok) return put;
    for (const { session_id, head_hash } of changed) known.set(session_id, head_hash);
    return ok(undefined);
  }

  /** A session that cannot be read to its end is shown as far as it can: the verifier says what is wrong with it. */
  async #read(info: SessionInfo): Promise<CataloguedSession> {
    const { session_id, closed, events } = info;
    const reading = this.#open.get(session_id) ?? { fold: new CatalogFold(), seq: 0 };
    const from = reading.seq + 1;
    if (from <= events)
      for await (const batch of this.#sources.log.readBatches(session_id, { from, verify: false })) {
        if (!batch.ok) break;
        for (const event of batch.value) {
          reading.fold.add(event);
          reading.seq = event.seq;
        }
      }
    if (closed) this.#open.delete(session_id);
    else this.#keep(session_id, reading);
    return reading.fold.catalogued(info, (watched) => this.#sources.shadowsOf(session_id, watched));
  }

  #keep(session_id: string, reading: Reading): void {
    this.#open.delete(session_id);
    this.#open.set(session_id, reading);
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest);
  }
}

function missing(known: ReadonlyMap<string, string>, sessions: readonly SessionInfo[]): readonly string[] {
  const there = new Set<string>(sessions.map(({ session_id }) => session_id));
  return [...known.keys()].filter((id) => !there.has(id));
}
