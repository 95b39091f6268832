import { domainError } from "#core/errors";
import { type Caller, err, ok, type Result } from "#core/values";

/** Finds the caller of a key, and the local user where requests without a key are allowed. */
export interface Authenticator {
  byKey(key: string): Promise<Result<Caller>>;
  /** Absent where every caller needs a key. */
  readonly local?: () => Result<Caller>;
}

/** The caller of an Authorization header. A key that is sent must be valid, also where none is needed. */
export async function authenticate(
  header: string | undefined,
  authenticator: Authenticator,
): Promise<Result<Caller | undefined>> {
  if (header === undefined) return authenticator.local ? authenticator.local() : ok(undefined);
  const key = /^Bearer +([\x21-\x7e]{8,512})$/i.exec(header)?.[1];
  if (key === undefined) return err(domainError("NOT_AUTHENTICATED", "Authorization is to be `Bearer KEY`"));
  const caller = await authenticator.byKey(key);
  if (caller.ok) return caller;
  // The answer does not say which part was wrong; only a failure of the store is passed on.
  if (caller.error.kind === "store") return caller;
  return err(domainError("NOT_AUTHENTICATED", "the API key is not valid here: unknown, expired or revoked"));
}
