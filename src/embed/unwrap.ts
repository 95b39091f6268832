import type { DomainError } from "#core/errors";
import type { Result } from "#core/values";

/** An expected failure as an exception, for programs that prefer those. */
export class WritError extends Error {
  readonly code: DomainError["code"];
  readonly error: DomainError;

  constructor(error: DomainError) {
    super(`${error.code}: ${error.message}`, { cause: error.cause });
    this.name = "WritError";
    this.code = error.code;
    this.error = error;
  }
}

/** The value of a result; throws its error. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new WritError(result.error);
}
