import { statSync } from "node:fs";
import { ok, type Result } from "../../values/result.ts";
import { openSqlite, type Sqlite } from "./connection.ts";

/** A database whose tables were checkpointed from the write-ahead log once is larger than its first page. */
const firstPageBytes = 4096;

/** Whether no shared store was ever created here, or it is gone: no file, an empty one, or one without tables. */
export function isNewStore(file: string): Result<boolean> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return ok(true);
  if (size > firstPageBytes) return ok(false);
  const opened = openSqlite(file);
  if (!opened.ok) return opened;
  try {
    return ok(isWithoutTables(opened.value));
  } finally {
    opened.value.close();
  }
}

export function isWithoutTables(database: Sqlite): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1").get() === undefined;
}
