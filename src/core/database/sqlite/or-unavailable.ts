import { codeOfError } from "../../errors/code-of-error.ts";
import { domainError, messageOf } from "../../errors/domain-error.ts";
import { err, ok, type Result } from "../../values/result.ts";

/** For a repository: runs one statement or transaction, and turns what SQLite throws into a failure that begins with `what`. */
export function orUnavailable(what: string): <T>(work: () => T) => Result<T> {
  return (work) => {
    try {
      return ok(work());
    } catch (thrown) {
      const isFull = codeOfError(thrown) === "SQLITE_FULL";
      const why = isFull ? "the disk is full" : messageOf(thrown);
      const details = isFull ? { hint: "make room on the disk of the workspace, then try again" } : {};
      return err(domainError("STORE_UNAVAILABLE", `${what}: ${why}`, { details, cause: thrown }));
    }
  };
}
