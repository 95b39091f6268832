import type { ErrorObject } from "ajv";
import { type DomainError, domainError } from "../errors/domain-error.ts";
import { expectation } from "./expectation.ts";
import { fieldPath, jsonPath } from "./json-path.ts";
import { nearestBranch } from "./nearest-branch.ts";
import { show } from "./show.ts";

/** One way in which a value breaks its contract, in words. */
export interface Violation {
  /** JSON path of the offending place, such as `$.steps[0].id`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

const most = 12;
// A long list can break its contract at every item; past this many, problems are only counted.
const mostDescribed = 500;

export function violationError(schemaId: string, errors: readonly ErrorObject[]): DomainError {
  const violations = describeErrors(errors.slice(0, mostDescribed));
  const others = violations.length - 1 + Math.max(0, errors.length - mostDescribed);
  const listed = violations.slice(0, most);
  const [first] = listed;
  const more = others > 0 ? ` (and ${others} more)` : "";
  return domainError(
    "SCHEMA_VIOLATION",
    `${schemaId}: at ${first?.path} expected ${first?.expected}, found ${first?.found}${more}`,
    {
      details: { schema_id: schemaId, violations: listed },
    },
  );
}

/** Each expectation of a place is reported once. */
function describeErrors(errors: readonly ErrorObject[]): readonly Violation[] {
  const distinct = new Map<string, Violation>();
  for (const error of nearestBranch(errors)) {
    const violation = describe(error);
    distinct.set(`${violation.path}\n${violation.expected}`, violation);
  }
  return [...distinct.values()];
}

function describe(error: ErrorObject): Violation {
  const expected = expectation(error);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
    case "dependentRequired":
      return { path: jsonPath(error.instancePath), expected, found: "none" };
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
      const data = error.data as Record<string, unknown>;
      return { path: fieldPath(error.instancePath, name), expected, found: show(data[name]) };
    }
    case "discriminator": {
      const tag = String(params["tag"]);
      const value = (error.data as Record<string, unknown> | undefined)?.[tag];
      return { path: fieldPath(error.instancePath, tag), expected, found: value === undefined ? "none" : show(value) };
    }
    default:
      // An error about the name of a field carries the name apart from the path.
      if (error.propertyName !== undefined)
        return {
          path: jsonPath(error.instancePath),
          expected: `field names to be ${expected}`,
          found: show(error.propertyName),
        };
      return { path: jsonPath(error.instancePath), expected, found: show(error.data) };
  }
}
