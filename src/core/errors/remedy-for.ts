import type { ErrorCode } from "./error-codes.ts";
import { errorMeanings } from "./error-meanings.ts";

/** Codes that are too general for one remedy: the message of each error names its own. */
const explainedByMessage: ReadonlySet<string> = new Set<ErrorCode>([
  "AMBIGUOUS_ID",
  "CONFIG_INVALID",
  "MALFORMED_INPUT",
  "NOT_FOUND",
  "SCHEMA_VIOLATION",
  "TOOL_ERROR",
  "TURN_FAILED",
  "WORKFLOW_ABORTED",
]);

/** The remedy for a code, independent of where it occurs; the reference prints the same. */
export function remedyFor(code: string): string | undefined {
  if (explainedByMessage.has(code) || !Object.hasOwn(errorMeanings, code)) return undefined;
  const { remedy } = errorMeanings[code as ErrorCode];
  return `${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`.replace(/\.$/, "");
}
