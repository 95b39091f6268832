import type { MandateV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { whyNamesNothing } from "../paths/names-nothing.ts";
import { clauseText } from "./act.ts";

/**
 * Refuses documents whose word on a file could name none: a forbidden entry that forbids nothing, an approval that is never
 * asked for. Asked once, of an order that is new: a session goes on under what it began with.
 */
export function checkPatterns({ forbidden, approvals }: MandateV1): Result<void> {
  for (const { patterns, ...clause } of [
    ...forbidden,
    ...approvals.map(({ document, path, files = [] }) => ({ document, path: `${path}.files`, patterns: files })),
  ]) {
    const why = patterns.map(whyNamesNothing).find((each) => each !== undefined);
    if (why !== undefined)
      return err(
        domainError("WORK_ORDER_INVALID", `${clauseText(clause)}: ${why}`, { details: { path: clause.path } }),
      );
  }
  return ok(undefined);
}
