import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { domainError, messageOf } from "../../errors/domain-error.ts";
import { diskFull, isDiskFull, useReserve } from "../../machine/disk-room.ts";
import { err, ok, type Result } from "../../values/result.ts";
import { NativePartMissing, newDatabase } from "./new-database.ts";
import { useWal } from "./use-wal.ts";

export type Sqlite = Database.Database;
export type SqliteStatement<Bound extends unknown[], Row> = Database.Statement<Bound, Row>;

/**
 * WAL with synchronous FULL: NORMAL lost acknowledged commits in 8 of 12 power-loss images, FULL in none (RELIABILITY 2d).
 * Speed comes from grouping transitions into one transaction, not from skipping the sync.
 */
export function openSqlite(
  file: string,
  options: { readonly readonly?: boolean; readonly busyTimeoutMs?: number } = {},
): Result<Sqlite> {
  const opened = openOnce(file, options);
  if (opened.ok || options.readonly || file === ":memory:") return opened;
  const folder = dirname(file);
  if (!isDiskFull(opened.error.cause, folder)) return opened;
  const again = useReserve(folder) ? openOnce(file, options) : opened;
  return again.ok || !isDiskFull(again.error.cause, folder) ? again : err(diskFull(folder, again.error.cause));
}

function openOnce(
  file: string,
  options: { readonly readonly?: boolean; readonly busyTimeoutMs?: number },
): Result<Sqlite> {
  const { readonly = false, busyTimeoutMs: timeout = 5_000 } = options;
  let database: Sqlite | undefined;
  try {
    if (!readonly) mkdirSync(dirname(file), { recursive: true });
    database = newDatabase(file, { readonly, timeout });
    if (!readonly) {
      useWal(database, timeout);
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
    }
    return ok(database);
  } catch (thrown) {
    database?.close();
    const readOnly = isReadOnly(thrown);
    const why = readOnly ? "it cannot be written here" : messageOf(thrown);
    const hint = readOnly ? readOnlyHint : thrown instanceof NativePartMissing ? NativePartMissing.mend : undefined;
    return err(
      domainError("STORE_UNAVAILABLE", `cannot open the database ${file}: ${why}`, {
        details: { file, ...(hint === undefined ? {} : { hint }) },
        cause: thrown,
      }),
    );
  }
}

const readOnlyHint =
  "the workspace is read-only for you: look at who owns planes/ and how it is mounted; `writ session` still shows what is there";

/** Whether the exception says that this user may not write there. */
export function isReadOnly(thrown: unknown): boolean {
  const code = (thrown as { readonly code?: string }).code ?? "";
  return /^(EROFS|EACCES|EPERM|SQLITE_READONLY.*|SQLITE_CANTOPEN.*)$/.test(code);
}
