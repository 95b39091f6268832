import type { Database } from "better-sqlite3";
import { isBusy } from "#core/database";
import type { Clock } from "#core/values";
import { SessionIndexer } from "./index-session.ts";
import { closedStamp, type SessionFolder, sessionFolders } from "./session-files.ts";

/** Sessions that share one transaction: a commit costs more than a small session. */
const perTransaction = 64;

/** Adds closed sessions to the index, newest first, one run at a time. Sessions that another process indexed are skipped. */
export class Refresher {
  readonly #root: string;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #indexer: SessionIndexer;
  /** Sessions that are in the index, as far as this process has seen. */
  readonly #known = new Set<string>();
  #running: Promise<number> | undefined;
  #ranAt: number | undefined;
  #left = 0;
  #stopped = false;

  constructor(root: string, database: Database, clock: Clock) {
    this.#root = root;
    this.#database = database;
    this.#clock = clock;
    this.#indexer = new SessionIndexer(database);
  }

  runIfOlderThan(ms: number): Promise<number> | undefined {
    if (this.#running) return this.#running;
    if (this.#ranAt !== undefined && this.#clock.monotonic() - this.#ranAt < ms) return undefined;
    return this.run();
  }

  /** Returns the number of entries added. */
  run(): Promise<number> {
    this.#running ??= this.#feed().finally(() => {
      this.#running = undefined;
      this.#ranAt = this.#clock.monotonic();
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running?.catch(() => undefined); // the caller of `run` got the rejection; closing has no use for it
  }

  /** Warnings for a search that runs now: the sessions that it may lack. */
  warnings(): readonly string[] {
    const refused = this.#database
      .prepare<[], { session_id: string; reason: string }>(
        "SELECT session_id, reason FROM refused ORDER BY session_id LIMIT 5",
      )
      .all()
      .map(({ session_id, reason }) => `${session_id} does not verify and is left out: ${reason}`);
    return this.#running && this.#left > 0 ? [...refused, `${this.#left} sessions are still to be indexed`] : refused;
  }

  /** Removes sessions whose files changed since they were indexed; the next run verifies and adds them again. */
  drop(sessions: readonly number[]): void {
    if (this.#running) return; // the writer is in a transaction; the next search finds them again
    const remove = this.#database.transaction(() => {
      for (const session of sessions) {
        this.#database
          .prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM entries WHERE session = ?)")
          .run(session);
        for (const table of ["entries", "chains", "agents"])
          this.#database.prepare(`DELETE FROM ${table} WHERE session = ?`).run(session);
        this.#database.prepare("DELETE FROM sessions WHERE id = ?").run(session);
      }
    });
    try {
      remove.immediate();
      this.#known.clear();
      this.#ranAt = undefined;
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown; // another process writes; the next search finds them again
    }
  }

  async #feed(): Promise<number> {
    const wanted = this.#unknownSessions();
    this.#left = wanted.length;
    let added = 0;
    while (wanted.length > 0 && !this.#stopped) {
      const some = wanted.splice(0, perTransaction);
      const entries = await this.#addTogether(some);
      if (entries === undefined) break; // another process is indexing
      added += entries;
      this.#left = wanted.length;
    }
    return added;
  }

  /** Known names are not read again, so that a folder of 100,000 sessions is listed quickly. */
  #unknownSessions(): (SessionFolder & { readonly stamp: string })[] {
    const indexed = this.#database.prepare("SELECT 1 FROM sessions WHERE session_id = ?");
    const refused = this.#database.prepare<[string], { stamp: string }>(
      "SELECT stamp FROM refused WHERE session_id = ?",
    );
    const unknown: (SessionFolder & { readonly stamp: string })[] = [];
    for (const session of sessionFolders(this.#root)) {
      if (this.#known.has(session.session_id)) continue;
      if (indexed.get(session.session_id)) {
        this.#known.add(session.session_id);
        continue;
      }
      const stamp = closedStamp(session.folder);
      if (stamp !== undefined && refused.get(session.session_id)?.stamp !== stamp) unknown.push({ ...session, stamp });
    }
    return unknown.toSorted((a, b) => (a.session_id < b.session_id ? 1 : -1)); // the day is in the name: latest first
  }

  async #addTogether(sessions: readonly (SessionFolder & { readonly stamp: string })[]): Promise<number | undefined> {
    const database = this.#database;
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (thrown) {
      if (isBusy(thrown)) return undefined;
      throw thrown;
    }
    let added = 0;
    try {
      for (const session of sessions) {
        if (database.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(session.session_id)) continue;
        if (this.#stopped) break;
        database.exec("SAVEPOINT session");
        const indexed = await this.#indexer.add(session);
        if (indexed.ok) added += indexed.value;
        else {
          database.exec("ROLLBACK TO session");
          this.#indexer.forget();
        }
        database.exec("RELEASE session");
        this.#noteRefusal(session, indexed.ok ? undefined : indexed.error.message);
      }
      database.exec("COMMIT");
      return added;
    } catch (thrown) {
      this.#indexer.forget();
      if (database.inTransaction) database.exec("ROLLBACK");
      throw thrown;
    }
  }

  #noteRefusal(
    { session_id, stamp }: { readonly session_id: string; readonly stamp: string },
    reason: string | undefined,
  ): void {
    if (reason === undefined) this.#database.prepare("DELETE FROM refused WHERE session_id = ?").run(session_id);
    else
      this.#database
        .prepare("INSERT OR REPLACE INTO refused (session_id, stamp, reason) VALUES (?, ?, ?)")
        .run(session_id, stamp, reason);
  }
}
