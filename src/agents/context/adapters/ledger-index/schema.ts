import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { newDatabase, useWal } from "#core/database";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";

/** An index of another version is deleted: it can always be rebuilt from the log. */
const version = 1;

/**
 * `entries.id` sorts by time: milliseconds times 4096, and a number within the millisecond. A group is one type of one ledger
 * of one framework on one tier, so that "the newest of these types" is a walk down one index per group, however many
 * entries there are. The texts are not stored: `words` finds rows, and their texts are read from the log.
 */
const tables = `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, tier TEXT NOT NULL, work_order_id TEXT, framework_id TEXT,
    last_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_order ON sessions (work_order_id, last_at);
  CREATE TABLE chains (
    session INTEGER NOT NULL, ledger TEXT NOT NULL, head_hash BLOB NOT NULL, bytes INTEGER NOT NULL, last_offset INTEGER NOT NULL,
    PRIMARY KEY (session, ledger)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE agents (agent_id TEXT NOT NULL, session INTEGER NOT NULL, PRIMARY KEY (agent_id, session)) STRICT, WITHOUT ROWID;
  CREATE TABLE groups (
    id INTEGER PRIMARY KEY, tier TEXT NOT NULL, framework_id TEXT NOT NULL, ledger TEXT NOT NULL, type TEXT NOT NULL,
    UNIQUE (tier, framework_id, ledger, type)
  ) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, "group" INTEGER NOT NULL, hash BLOB NOT NULL,
    "offset" INTEGER NOT NULL, length INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_group ON entries ("group", id);
  CREATE INDEX entries_by_session ON entries (session, id);
  CREATE TABLE refused (session_id TEXT PRIMARY KEY, stamp TEXT NOT NULL, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2");
`;

export interface IndexDatabase {
  readonly reader: Database.Database;
  /** A connection of its own, so that a search never waits for indexing, nor sees half a session. */
  readonly writer: Database.Database;
}

export function openIndex(file: string): Result<IndexDatabase> {
  for (const attempt of ["first", "anew"] as const) {
    try {
      mkdirSync(dirname(file), { recursive: true });
      const writer = connect(file);
      if (prepare(writer)) return ok({ writer, reader: connect(file) });
      writer.close();
    } catch (thrown) {
      if (attempt === "anew" || !isDamage(thrown))
        return err(
          domainError("STORE_UNAVAILABLE", `the ledger index ${file} cannot be opened: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
    }
    discard(file);
  }
  return err(domainError("STORE_UNAVAILABLE", `the ledger index ${file} cannot be made`));
}

const busyTimeoutMs = 2_000;

/** NORMAL: a power cut may lose the last transactions but does not corrupt the file; the lost sessions are indexed again. */
function connect(file: string): Database.Database {
  const database = newDatabase(file, { timeout: busyTimeoutMs });
  useWal(database, busyTimeoutMs);
  database.pragma("synchronous = NORMAL");
  database.pragma("cache_size = -32000");
  return database;
}

/** False when the file is of another version and has to be deleted. */
function prepare(database: Database.Database): boolean {
  if (versionOf(database) === 0) database.transaction(create).immediate(database);
  // After this no statement waits for a lock: another process that holds it is doing the same work.
  database.pragma("busy_timeout = 0");
  return versionOf(database) === version;
}

function create(database: Database.Database): void {
  if (versionOf(database) !== 0) return; // another process was faster
  database.exec(tables);
  database.pragma(`user_version = ${version}`);
}

function versionOf(database: Database.Database): unknown {
  return database.pragma("user_version", { simple: true });
}

export function isDamage(thrown: unknown): boolean {
  return (
    thrown instanceof Database.SqliteError &&
    ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((code) => thrown.code.startsWith(code))
  );
}

export function discard(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}
