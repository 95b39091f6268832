import { codeOfError } from "../../errors/code-of-error.ts";
import { type DomainError, domainError, messageOf } from "../../errors/domain-error.ts";
import { isJsonObject } from "../../values/json.ts";

/** A transaction whose COMMIT was sent and never answered, and whose outcome could not be looked up. */
export class CommitInDoubt extends Error {
  override readonly name = "CommitInDoubt";
}

const hints = {
  readOnly: "name the primary in `store`; a standby, or a role that is set to read-only, cannot keep anything",
  pooler: "if a pooler in transaction mode is in between, add pooler=transaction to the store's address",
  entry: "look at the user and the password in `store`: postgres://user:${secret:NAME}@host/database",
  wantsEncryption: "the server wants encryption: sslmode=verify-full in the store's address, or require without proof",
  proof: "name its authority, sslrootcert=FILE in the store's address; sslmode=require encrypts and asks for no proof",
  encryption: "turn on ssl in the server, or add sslmode=disable to the store's address if the way to it is safe",
  database: "make it, CREATE DATABASE …, or mend its name in `store`",
  rights: "GRANT the role what it lacks; the guide `run on PostgreSQL` says what it needs",
  connections: "say a smaller pool_size in the store's address, raise the server's limit, or put a pooler in between",
} as const;

/** A database error as a `DomainError`. `busy`: nothing was changed, and a retry may succeed. */
export function postgresFailure(thrown: unknown): DomainError {
  const sqlstate = codeOfError(thrown) ?? "";
  const because = messageOf(thrown);
  const say = (message: string, details: Readonly<Record<string, unknown>>): DomainError =>
    domainError("STORE_UNAVAILABLE", message, { details: { sqlstate, ...details }, cause: thrown });
  if (thrown instanceof CommitInDoubt)
    return say(
      "the connection to the database broke while a commit was under way, and its outcome is not known; it may be repeated",
      { in_doubt: true },
    );
  if (sqlstate === "25006")
    return say(`the database takes no writes; nothing was changed: ${because}`, { busy: true, hint: hints.readOnly });
  if (isLostConnection(thrown))
    return say(`the connection to the database broke; nothing was changed: ${because}`, { busy: true });
  if (isPoolersRefusal(thrown))
    return say(`a pooler is between us and the database: ${because}`, { hint: hints.pooler });
  if (sqlstate.startsWith("28") && /no encryption/.test(because))
    return say(`the database did not let us in: ${because}`, { hint: hints.wantsEncryption });
  if (/CERT|UNABLE_TO_VERIFY/.test(sqlstate))
    return say(`the database's server did not prove who it is: ${because}`, { hint: hints.proof });
  if (sqlstate.startsWith("28")) return say(`the database did not let us in: ${because}`, { hint: hints.entry });
  if (/client password must be a string/.test(because))
    return say("the database asks for a password, and the store's address names none", { hint: hints.entry });
  if (/server does not support SSL/.test(because))
    return say("the database offers no encryption", { hint: hints.encryption });
  if (sqlstate === "3D000") return say(`there is no such database: ${because}`, { hint: hints.database });
  if (sqlstate === "42501") return say(`the database's role may not do that: ${because}`, { hint: hints.rights });
  if (sqlstate === "40001" || sqlstate === "40P01")
    return say("the database gave way to another writer; nothing was changed", { busy: true });
  if (sqlstate === "55P03" || sqlstate === "57014")
    return say("the database took too long; nothing was changed", { busy: true });
  if (sqlstate === "26000" || sqlstate === "42P05")
    return say("the database forgot a prepared statement", { hint: hints.pooler });
  // A value of the transaction (a text, a number or a name) that no column takes.
  if (sqlstate.startsWith("22") || sqlstate.startsWith("54"))
    return domainError("MALFORMED_INPUT", `the database cannot keep what was said: ${because}`, {
      details: { sqlstate },
      cause: thrown,
    });
  if (sqlstate === "53300")
    return say(`the database has no connection left; nothing was changed: ${because}`, {
      busy: true,
      hint: hints.connections,
    });
  if (sqlstate.startsWith("53"))
    return say(`the database has run out of something; nothing was changed: ${because}`, {});
  // Two transactions that create the same thing at once do not see each other; on the retry the second finds the first
  // one's row.
  if (sqlstate.startsWith("23"))
    return domainError("INTERNAL", `the database refused a change that the rules let pass: ${because}`, {
      details: { sqlstate, ...(sqlstate === "23505" ? { busy: true } : {}) },
      cause: thrown,
    });
  return say(`the database failed: ${because}`, {});
}

/** The connection is lost, the server is stopping or starting, or it may no longer write (a failover). */
export function isLostConnection(thrown: unknown): boolean {
  const code = codeOfError(thrown) ?? "";
  if (isPoolersRefusal(thrown)) return false;
  if (code.startsWith("08") || ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "25006"].includes(code))
    return true;
  if (/^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(code) || code === "ENOTFOUND") return true;
  return /Connection terminated|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect|Client was closed|timeout expired/.test(
    messageOf(thrown),
  );
}

/** A pooler shares connections and therefore refuses startup parameters. */
function isPoolersRefusal(thrown: unknown): boolean {
  return codeOfError(thrown) === "08P01" && /unsupported startup parameter/.test(messageOf(thrown));
}

/** Whether the server itself refused, so that the statement has certainly not taken effect. */
export function isServersAnswer(thrown: unknown): boolean {
  return isJsonObject(thrown) && typeof thrown["severity"] === "string" && thrown["severity"] !== "FATAL";
}
