import { type DomainError, domainError } from "../errors/domain-error.ts";
import type { JsonValue } from "./json.ts";
import { err, ok, type Result } from "./result.ts";

/** How deep a JSON value may nest before it is refused. Recursion stays far below the stack's end. */
export const maxJsonDepth = 256;

/**
 * What may enter a record: JSON values only, no NaN or infinities, no integer that a reader would round, no lone
 * surrogate (it would be re-encoded and break the hash), no `undefined`, no cycle, bounded depth.
 * Prototype keys are plain data here; text from outside that holds `__proto__` is refused where it is parsed.
 */
export function checkJson(value: unknown): Result<JsonValue> {
  const problem = findProblem(value, 0);
  return problem ? err(malformed(problem)) : ok(value as JsonValue);
}

/** The path grows as the search returns, so that a sound value costs no text. */
interface Problem {
  path: string;
  readonly found: string;
  readonly expected: string;
}

function findProblem(value: unknown, depth: number): Problem | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : problem("text with a lone surrogate", "well-formed Unicode");
    case "number":
      if (Number.isSafeInteger(value)) return undefined;
      if (!Number.isFinite(value)) return problem(String(value), "a finite number");
      return Number.isInteger(value) ? problem(String(value), "an integer within ±(2^53 − 1), or text") : undefined;
    case "boolean":
      return undefined;
    case "object":
      if (value === null) return undefined;
      if (depth >= maxJsonDepth) return problem(`nesting deeper than ${maxJsonDepth}`, "a flatter value");
      return Array.isArray(value) ? inArray(value, depth) : inObject(value, depth);
    case "undefined":
    case "bigint":
    case "function":
    case "symbol":
      break;
  }
  return problem(value === undefined ? "undefined" : `a ${typeof value}`, "a JSON value");
}

function inArray(items: readonly unknown[], depth: number): Problem | undefined {
  for (let index = 0; index < items.length; index++) {
    const found = findProblem(items[index], depth + 1);
    if (found) return within(found, `[${index}]`);
  }
  return undefined;
}

function inObject(value: object, depth: number): Problem | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return problem("an instance of a class", "a plain object");
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return problem("a key with a lone surrogate", "well-formed Unicode");
    const found = findProblem((value as Record<string, unknown>)[key], depth + 1);
    if (found) return within(found, pathStep(key));
  }
  return undefined;
}

/** One step of a JSON path: `.name`, or `["any other name"]`. */
export function pathStep(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function problem(found: string, expected: string): Problem {
  return { path: "", found, expected };
}

function within(found: Problem, step: string): Problem {
  found.path = step + found.path;
  return found;
}

const shownPath = 200;

function malformed({ path, found, expected }: Problem): DomainError {
  // A value that refers to itself has a path of hundreds of steps; the message cuts it, and the details have it whole.
  const at = path.length > shownPath ? `${path.slice(0, shownPath - 1)}…` : path;
  return domainError("MALFORMED_INPUT", `$${at}: found ${found}, expected ${expected}`, {
    details: { path: `$${path}`, found, expected },
  });
}
