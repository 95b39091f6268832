import { codeOfError, type DomainError, domainError, messageOf } from "#core/errors";

/** Converts an exception of SQLite to a domain error. */
export function storeFailure(thrown: unknown): DomainError {
  const code = codeOfError(thrown) ?? "";
  if (code.startsWith("SQLITE_BUSY"))
    return domainError("STORE_UNAVAILABLE", "the database is busy with another writer; nothing was changed", {
      details: { sqlite: code, busy: true },
      cause: thrown,
    });
  if (code === "SQLITE_FULL")
    return domainError("STORE_UNAVAILABLE", "the disk is full; nothing was changed. Free some space and try again", {
      details: { sqlite: code },
      cause: thrown,
    });
  if (code.startsWith("SQLITE_CONSTRAINT"))
    return domainError("INTERNAL", `the database refused a change that the rules let pass: ${messageOf(thrown)}`, {
      details: { sqlite: code },
      cause: thrown,
    });
  return domainError("STORE_UNAVAILABLE", `the database failed: ${messageOf(thrown)}`, {
    details: { sqlite: code },
    cause: thrown,
  });
}

/** After a failed sync the content of the disk is unknown, so the process must not continue (RELIABILITY F6). */
export function isFatal(thrown: unknown): boolean {
  const code = codeOfError(thrown) ?? "";
  return code.startsWith("SQLITE_IOERR") || code === "SQLITE_CORRUPT";
}
