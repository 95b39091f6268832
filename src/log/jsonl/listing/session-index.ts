import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSqlite, type Sqlite } from "#core/database";
import { codeOfError } from "#core/errors";
import type { SessionId } from "#core/values";
import type { NewestOptions, SessionInfo } from "../../event-log.ts";
import { isOrder } from "../../newest-sessions.ts";
import type { Tier } from "../../tier.ts";

/** Raised when the tables change: an index of another shape is made anew. */
const shape = 1;

const tables = `
CREATE TABLE folder (tier TEXT PRIMARY KEY, stamp TEXT NOT NULL) STRICT;
CREATE TABLE session (
  session_id TEXT PRIMARY KEY,
  tier TEXT NOT NULL,
  stamp TEXT, -- of its events file, when the columns below were read from it; NULL: not read yet
  started_at TEXT,
  is_order INTEGER NOT NULL DEFAULT 0,
  is_open INTEGER NOT NULL DEFAULT 0,
  has_failed INTEGER NOT NULL DEFAULT 0,
  info TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX newest ON session (started_at, session_id);
CREATE INDEX newest_order ON session (is_order, started_at, session_id);
CREATE INDEX unfinished ON session (started_at, session_id) WHERE is_open = 1;
CREATE INDEX failed ON session (started_at, session_id) WHERE has_failed = 1;
CREATE INDEX unread ON session (session_id) WHERE stamp IS NULL;
`;

/** A session as the index has it. */
export interface IndexedSession {
  readonly session_id: SessionId;
  readonly tier: Tier;
  readonly stamp: string | null;
  /** Undefined until its file was read. */
  readonly info: SessionInfo | undefined;
}

interface Row {
  readonly session_id: SessionId;
  readonly tier: Tier;
  readonly stamp: string | null;
  readonly info: string | null;
}

/** Each by an index of its own: at 100,000 sessions a count over the rows themselves took 50 ms. */
const kinds = { all: "started_at IS NOT NULL", open: "is_open = 1", failed: "has_failed = 1" } as const;

/**
 * The sessions of a workspace by when they started, kept beside the store so that the newest are found without opening every
 * session's file. Derived: it can be deleted at any time. Nothing is synced; what a power cut takes shows in the stamps.
 */
export class SessionIndex {
  readonly #database: Sqlite;

  private constructor(database: Sqlite) {
    this.#database = database;
  }

  static fileIn(root: string): string {
    return join(root, "planes", "hot", "sessions.db");
  }

  /** Undefined when it is not there, or cannot be used here: then the files themselves are read. */
  static open(root: string, { create }: { readonly create: boolean }): SessionIndex | undefined {
    const file = SessionIndex.fileIn(root);
    if ((!create && !existsSync(file)) || !isOwn(dirname(file))) return undefined;
    const opened = openIndex(file);
    if (opened !== "damaged") return opened && new SessionIndex(opened);
    SessionIndex.discard(root);
    const anew = create ? openIndex(file) : undefined;
    return anew && anew !== "damaged" ? new SessionIndex(anew) : undefined;
  }

  /** For one that is damaged: the next listing makes another. */
  static discard(root: string): void {
    for (const part of ["", "-wal", "-shm"]) rmSync(`${SessionIndex.fileIn(root)}${part}`, { force: true });
  }

  close(): void {
    this.#database.close();
  }

  /** All of it or nothing, beside other processes that do the same. */
  change(work: () => void): void {
    this.#database.transaction(work).immediate();
  }

  /** The stamp of a tier's folder when every session in it was known; empty: some may be missing here. */
  stampOf(tier: Tier): string {
    const found = this.#database.prepare("SELECT stamp FROM folder WHERE tier = ?").pluck().get(tier);
    return typeof found === "string" ? found : "";
  }

  setStamp(tier: Tier, stamp: string): void {
    this.#database.prepare("INSERT OR REPLACE INTO folder (tier, stamp) VALUES (?, ?)").run(tier, stamp);
  }

  idsOf(tier: Tier): ReadonlySet<string> {
    return new Set(
      this.#database.prepare("SELECT session_id FROM session WHERE tier = ?").pluck().all(tier) as string[],
    );
  }

  /** Names sessions whose files were not read. A session that is known is read again. */
  name(session_ids: Iterable<string>, tier: Tier): void {
    const add = this.#database.prepare("INSERT OR REPLACE INTO session (session_id, tier) VALUES (?, ?)");
    for (const session_id of session_ids) add.run(session_id, tier);
  }

  remove(session_ids: Iterable<string>): void {
    const remove = this.#database.prepare("DELETE FROM session WHERE session_id = ?");
    for (const session_id of session_ids) remove.run(session_id);
  }

  put(info: SessionInfo, stamp: string): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO session (session_id, tier, stamp, started_at, is_order, is_open, has_failed, info)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        info.session_id,
        info.tier,
        stamp,
        info.started_at,
        Number(isOrder(info)),
        Number(!info.closed),
        Number(info.ok === false),
        JSON.stringify(info),
      );
  }

  unread(): readonly IndexedSession[] {
    const rows = this.#database.prepare("SELECT session_id, tier, stamp, info FROM session WHERE stamp IS NULL").all();
    return (rows as Row[]).map(sessionOf);
  }

  /** A page of a kind, the newest first. */
  newest({ only, ordersFirst = false }: Omit<NewestOptions, "limit">, page: Page): readonly IndexedSession[] {
    const by = ordersFirst ? "is_order DESC, started_at DESC, session_id DESC" : "started_at DESC, session_id DESC";
    const select = `SELECT session_id, tier, stamp, info FROM session WHERE ${kinds[only ?? "all"]} ORDER BY ${by} LIMIT ? OFFSET ?`;
    return (this.#database.prepare(select).all(page.limit, page.offset) as Row[]).map(sessionOf);
  }

  count({ only }: Pick<NewestOptions, "only">): number {
    return this.#database
      .prepare(`SELECT count(*) FROM session WHERE ${kinds[only ?? "all"]}`)
      .pluck()
      .get() as number;
  }

  get(session_id: string): SessionInfo | undefined {
    const info = this.#database.prepare("SELECT info FROM session WHERE session_id = ?").pluck().get(session_id);
    return typeof info === "string" ? (JSON.parse(info) as SessionInfo) : undefined;
  }
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Undefined when it cannot be written here. */
function openIndex(file: string): Sqlite | "damaged" | undefined {
  const opened = openSqlite(file, { busyTimeoutMs: 1_000 });
  if (!opened.ok) return isDamage(opened.error.cause) ? "damaged" : undefined;
  try {
    opened.value.pragma("synchronous = OFF");
    prepare(opened.value);
    return opened.value;
  } catch (thrown) {
    opened.value.close();
    if (!isSqliteError(thrown)) throw thrown;
    return isDamage(thrown) ? "damaged" : undefined;
  }
}

export function isSqliteError(thrown: unknown): boolean {
  return String(codeOfError(thrown)).startsWith("SQLITE_");
}

export function isDamage(thrown: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String(codeOfError(thrown)));
}

/** A file that another user leaves behind here could not be written by the workspace's owner. */
function isOwn(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function prepare(database: Sqlite): void {
  if (database.pragma("user_version", { simple: true }) === shape) return;
  database
    .transaction(() => {
      if (database.pragma("user_version", { simple: true }) === shape) return; // another process made it meanwhile
      database.exec("DROP TABLE IF EXISTS session; DROP TABLE IF EXISTS folder");
      database.exec(tables);
      database.pragma(`user_version = ${shape}`);
    })
    .immediate();
}

function sessionOf({ session_id, tier, stamp, info }: Row): IndexedSession {
  return { session_id, tier, stamp, info: info === null ? undefined : (JSON.parse(info) as SessionInfo) };
}
