import type { DomainError } from "#base";

/** What is told of a failure outside; where the failure's own words stay inside, they are kept under the place that is named. */
export type SanitizeError = (error: DomainError, where: string) => DomainError;

/**
 * Most failures say what whoever asked can do about them. What broke inside Writ, or what a database or a disk said, may hold
 * anything (addresses, paths, names), and is no business of whoever asked, who may not even have shown a key.
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
