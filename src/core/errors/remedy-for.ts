import type { ErrorCode } from "./error-codes.ts";
import { errorMeanings } from "./error-meanings.ts";

/** Where the code alone says too little: only whoever made the message knows the way out, and says it there. */
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

/** What to do about a code wherever it comes from, as the reference has it too. */
export function remedyFor(code: string): string | undefined {
  if (explainedByMessage.has(code) || !Object.hasOwn(errorMeanings, code)) return undefined;
  const { wayOut } = errorMeanings[code as ErrorCode];
  return `${wayOut.charAt(0).toLowerCase()}${wayOut.slice(1)}`.replace(/\.$/, "");
}
