import Database from "better-sqlite3";

/**
 * A process lives as long as it holds a transaction on a small database of its own. The kernel drops the lock when the
 * process dies, however it dies; a pid file would lie after a reboot, and Node has no flock.
 */
export interface LivenessLock {
  release(): void;
}

/** Takes the lock, or answers undefined when another process holds it. */
export function holdLiveness(file: string): LivenessLock | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma("journal_mode = DELETE"); // an exclusive lock must be visible to readers at once, without a WAL
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (thrown) {
    database.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** Whether some process holds the lock now. */
export function isAlive(file: string): boolean {
  const lock = holdLiveness(file);
  lock?.release();
  return lock === undefined;
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith("SQLITE_BUSY");
}
