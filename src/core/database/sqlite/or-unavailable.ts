import { domainError, messageOf } from "../../errors/domain-error.ts";
import { err, ok, type Result } from "../../values/result.ts";

/** For a repository: runs one statement or transaction, and turns what SQLite throws into a failure that begins with `what`. */
export function orUnavailable(what: string): <T>(work: () => T) => Result<T> {
  return (work) => {
    try {
      return ok(work());
    } catch (thrown) {
      return err(domainError("STORE_UNAVAILABLE", `${what}: ${messageOf(thrown)}`, { cause: thrown }));
    }
  };
}
