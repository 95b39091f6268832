import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { newDatabase } from "./new-database.ts";
import { isBusy } from "./use-wal.ts";

/**
 * A process lives as long as it holds a transaction on a small database of its own. The kernel drops the lock when the
 * process dies, however it dies; a pid file would lie after a reboot, and Node has no flock.
 */
export interface LivenessLock {
  release(): void;
}

/** Takes the lock, or answers undefined when another process holds it. */
export function holdLiveness(file: string): LivenessLock | undefined {
  const database = newDatabase(file, { timeout: 0 });
  try {
    // Not a WAL, so that the lock is seen at once; and nothing is ever written, so there is nothing to keep a file for.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (thrown) {
    database.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** A lock that is taken and given back many times: the database stays open between two turns, which saves most of the cost. */
export interface TurnLock {
  /** False when another process has the turn. */
  take(): boolean;
  give(): void;
  close(): void;
}

export function openTurnLock(file: string): TurnLock {
  const database = newDatabase(file, { timeout: 0 }); // a new database has no WAL: the lock is seen at once
  let hasMode = false;
  return {
    take() {
      try {
        // Nothing is ever written: a journal file would be made and removed for every turn. Needs the lock for a moment.
        if (!hasMode) database.pragma("journal_mode = MEMORY");
        hasMode = true;
        database.exec("BEGIN EXCLUSIVE");
        return true;
      } catch (thrown) {
        if (isBusy(thrown)) return false;
        throw thrown;
      }
    },
    give: () => void database.exec("ROLLBACK"),
    close: () => void database.close(),
  };
}

/** Whether some process holds the lock now. It only looks: a file that is not there is not made, and two may look at once. */
export function isAlive(file: string): boolean {
  let database: Database.Database | undefined;
  try {
    database = newDatabase(file, { readonly: true, fileMustExist: true, timeout: 0 });
    database.pragma("user_version"); // cannot be read beside an exclusive lock
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    if (!existsSync(file)) return false; // its process ended while we looked
    throw thrown;
  } finally {
    database?.close();
  }
}
