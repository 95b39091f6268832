import { type DomainError } from "../errors/domain-error.ts";
import { isJsonObject } from "../values/json.ts";

/** The violations in an error, as the event `schema.violation` records them; empty for any other error. */
export function violationsOf({ details }: DomainError): { path: string; expected: string; found: string }[] {
  const violations = details["violations"];
  if (!Array.isArray(violations)) return [];
  return violations
    .filter(isJsonObject)
    .map((each) => ({ path: String(each["path"]), expected: String(each["expected"]), found: String(each["found"]) }));
}
