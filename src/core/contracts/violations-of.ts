import { type DomainError } from "../errors/domain-error.ts";
import { isJsonObject } from "../values/json.ts";

/** Where a value fell short of its schema, as the event `schema.violation` has it; empty when the error is another. */
export function violationsOf({ details }: DomainError): { path: string; expected: string; found: string }[] {
  const violations = details["violations"];
  if (!Array.isArray(violations)) return [];
  return violations
    .filter(isJsonObject)
    .map((each) => ({ path: String(each["path"]), expected: String(each["expected"]), found: String(each["found"]) }));
}
