import { type Caller, domainError, err, ok, type Result } from "#base";

/** Who holds a key, and who is asked for nobody: the person at this machine, where the server listens to nobody else. */
export interface Authenticator {
  byKey(key: string): Promise<Result<Caller>>;
  /** Absent where everybody needs a key. */
  readonly local?: () => Result<Caller>;
}

/** From the header to a caller. A key that is shown must be good, also where none is needed. */
export async function authenticate(
  header: string | undefined,
  authenticator: Authenticator,
): Promise<Result<Caller | undefined>> {
  if (header === undefined) return authenticator.local ? authenticator.local() : ok(undefined);
  const key = /^Bearer +([\x21-\x7e]{8,512})$/i.exec(header)?.[1];
  if (key === undefined) return err(domainError("NOT_AUTHENTICATED", "Authorization is to be `Bearer KEY`"));
  const caller = await authenticator.byKey(key);
  if (caller.ok) return caller;
  // Which part was wrong is not said; that the store does not answer is.
  if (caller.error.kind === "store") return caller;
  return err(domainError("NOT_AUTHENTICATED", "the API key is not valid here: unknown, expired or revoked"));
}
