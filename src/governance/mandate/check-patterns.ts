import type { MandateV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { whyNamesNothing } from "../paths/names-nothing.ts";
import { nameMatcher } from "../paths/rights.ts";
import { type Clause, clauseText } from "./act.ts";

/**
 * Refuses documents whose word on a file could name none: a forbidden entry that forbids nothing, an approval that is never
 * asked for. Asked once, of an order that is new: a session goes on under what it began with.
 */
export function checkPatterns(document: MandateV1): Result<void> {
  const { forbidden, approvals } = document;
  for (const { patterns, ...clause } of [
    ...forbidden,
    ...approvals.map(({ document, path, files = [] }) => ({ document, path: `${path}.files`, patterns: files })),
  ]) {
    const why = patterns.map(whyNamesNothing).find((each) => each !== undefined);
    if (why !== undefined) return err(invalid(clause, why));
  }
  return checkAskedTools(document);
}

/** A tool that the order's own approval spells out and no permission of the order names is misspelt: a person is never asked. */
function checkAskedTools({ work_order_id, tools: sources, approvals }: MandateV1): Result<void> {
  const own = `work order ${work_order_id}`;
  const permitted = sources
    .filter(({ document }) => document === own)
    .flatMap(({ lists }) => lists.flatMap(({ patterns }) => patterns.map(nameMatcher)));
  if (permitted.length === 0) return ok(undefined);
  for (const { document, path, tools = [] } of approvals) {
    const name = tools.find((each) => !/[*?[\]{}()]/.test(each) && !permitted.some((matches) => matches(each)));
    if (document === own && name !== undefined)
      return err(
        invalid(
          { document, path: `${path}.tools` },
          `${name} is not among its tool_permissions: a person is never asked`,
        ),
      );
  }
  return ok(undefined);
}

function invalid(clause: Clause, why: string): DomainError {
  return domainError("WORK_ORDER_INVALID", `${clauseText(clause)}: ${why}`, { details: { path: clause.path } });
}
