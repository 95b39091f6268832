import type { ErrorObject } from "ajv";

/** One way in which a value breaks its contract, in words. */
export interface Violation {
  /** JSON path of the offending place, such as `$.steps[0].id`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

const shown = 12;

export function describeErrors(errors: readonly ErrorObject[]): readonly Violation[] {
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const error of errors) {
    const violation = describe(error);
    const key = `${violation.path}\n${violation.expected}`;
    if (seen.has(key)) continue;
    seen.add(key);
    violations.push(violation);
    if (violations.length === shown) break;
  }
  return violations;
}

function describe(error: ErrorObject): Violation {
  const path = jsonPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "required":
      return { path, expected: `a field ${quote(params["missingProperty"])}`, found: "none" };
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = params["additionalProperty"] ?? params["unevaluatedProperty"];
      return { path, expected: "no unknown field", found: `the field ${quote(name)}` };
    }
    case "type":
      return { path, expected: `type ${[params["type"]].flat().join(" or ")}`, found: show(error.data) };
    case "enum":
      return { path, expected: `one of ${(params["allowedValues"] as unknown[]).map(quote).join(", ")}`, found: show(error.data) };
    case "const":
      return { path, expected: quote(params["allowedValue"]), found: show(error.data) };
    case "pattern":
      return { path, expected: `text that matches ${String(params["pattern"])}`, found: show(error.data) };
    case "format":
      return { path, expected: `a ${String(params["format"])}`, found: show(error.data) };
    default:
      return { path, expected: error.message ?? error.keyword, found: show(error.data) };
  }
}

function jsonPath(pointer: string): string {
  const parts = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.reduce((path, part) => path + (/^\d+$/.test(part) ? `[${part}]` : `.${part}`), "$");
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

/** What came, short enough to print. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = quote(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
