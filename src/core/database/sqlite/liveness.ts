import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { newDatabase } from "./new-database.ts";
import { isBusy } from "./use-wal.ts";

/**
 * A process is alive as long as it holds a transaction on a small database of its own. The operating system drops the
 * lock when the process ends, however it ends; a pid file would be wrong after a reboot, and Node has no flock.
 */
export interface LivenessLock {
  release(): void;
}

/** Takes the lock, or returns undefined when another process holds it. */
export function holdLiveness(file: string): LivenessLock | undefined {
  const database = newDatabase(file, { timeout: 0 });
  try {
    // No WAL, so that the lock is visible at once; nothing is ever written, so no journal file is needed.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (thrown) {
    database.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** A lock that is taken and released many times: the database stays open in between, which saves most of the cost. */
export interface TurnLock {
  /** False when another process holds it. */
  take(): boolean;
  give(): void;
  close(): void;
}

export function openTurnLock(file: string): TurnLock {
  const database = newDatabase(file, { timeout: 0 }); // a new database has no WAL: the lock is visible at once
  let hasMode = false;
  return {
    take() {
      try {
        // Nothing is ever written: a journal file would be created and removed each time. Needs the lock for a moment.
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

/** Whether some process holds the lock now. Only reads: it creates no file, and two processes may check at once. */
export function isAlive(file: string): boolean {
  let database: Database.Database | undefined;
  try {
    database = newDatabase(file, { readonly: true, fileMustExist: true, timeout: 0 });
    database.pragma("user_version"); // cannot be read beside an exclusive lock
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    if (!existsSync(file)) return false; // its process ended during the check
    throw thrown;
  } finally {
    database?.close();
  }
}
