import Database from "better-sqlite3";

const pauseMs = 3;

/**
 * Puts a database into WAL mode. While other processes do the same to a new file SQLite returns "locked" at once,
 * whatever its timeout: it does not wait where a reader becomes a writer. So this retries for as long as the connection
 * would wait.
 */
export function useWal(database: Database.Database, waitMs: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let left = Math.ceil(waitMs / pauseMs); ; left--)
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (thrown) {
      if (left <= 0 || !isBusy(thrown)) throw thrown;
      Atomics.wait(cell, 0, 0, pauseMs);
    }
}

/** True when another connection holds the lock. */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith("SQLITE_BUSY");
}
