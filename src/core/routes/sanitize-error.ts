import type { DomainError } from "../errors/domain-error.ts";

/** The error that a caller gets. Where its message is replaced, the server's log has the original under `where`. */
export type SanitizeError = (error: DomainError, where: string) => DomainError;

/**
 * Most errors tell the caller how to go on and pass unchanged. The message of an internal error, a database or a disk may
 * hold addresses, paths or names, so a caller, who may have no key, gets a general sentence instead.
 */
export function errorSanitizer(onProblem: (message: string) => void): SanitizeError {
  return (error, where) => {
    const general = generalSentence(error);
    if (general === undefined) return error;
    onProblem(`${where}: ${error.message}`);
    return { ...error, message: `${general}; the server's own log tells more under ${where}`, details: {} };
  };
}

function generalSentence({ kind, code }: DomainError): string | undefined {
  if (kind === "internal") return "something went wrong inside Writ";
  switch (code) {
    case "STORE_UNAVAILABLE":
    case "STORE_TOO_NEW":
      return "the store of this server cannot be used now";
    case "LEDGER_UNAVAILABLE":
      return "the log of this server cannot be used now";
    default:
      return undefined;
  }
}
