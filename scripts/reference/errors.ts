import { exitStatusOf } from "#core/commands";
import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { errorMeanings } from "../../src/core/errors/error-meanings.ts";
import { code, type Page, page, table } from "./markdown.ts";

/** Every code that outsiders may rely on. */
export function errorsPage(): Page {
  const rows = (Object.keys(errorCodes) as ErrorCode[]).toSorted().map((name) => {
    const { retryable } = errorCodes[name];
    const { means, remedy } = errorMeanings[name];
    return [code(name), means, remedy, String(exitStatusOf(domainError(name, ""))), retryable ? "yes" : ""];
  });
  return page("errors.md", "Error codes", [
    "An expected failure has a code, on the screen, in `--json` (`error.code`), in the log and in answers of the API. The codes stay; the words around them may change. The status is that of a command which ends with it; where trying again may help, the last column says so.",
    table(["code", "means", "way out", "status", "again"], rows),
  ]);
}
