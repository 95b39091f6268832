import { canonicalJson } from "../values/canonical.ts";

/**
 * Limits for a schema from outside the workspace: an order's or a tool's. Real ones have some hundred members.
 * Measured: compiling takes about 0.3 ms a member and 3 ms a pattern, on a busy machine.
 */
export interface SchemaLimits {
  /** Fields of objects and items of lists, at any depth. */
  readonly members: number;
  readonly patterns: number;
  /** References that are followed to check one value: a few for each of its members, plus this many. */
  readonly steps: number;
  readonly stepsPerMember: number;
}

export const schemaLimits: SchemaLimits = { members: 4_000, patterns: 200, steps: 10_000, stepsPerMember: 10 };

/** Why a schema is refused before it is compiled, as the end of a sentence. */
export function whyTooLarge(schema: unknown): string | undefined {
  let members = 0;
  let patterns = 0;
  walk(schema, (name, value) => {
    members += 1;
    if (name === "pattern" && typeof value === "string") patterns += 1;
    if (name === "patternProperties" && typeof value === "object" && value !== null)
      patterns += Object.keys(value).length;
    return members <= schemaLimits.members && patterns <= schemaLimits.patterns;
  });
  if (members > schemaLimits.members) return `it has more than ${schemaLimits.members} members`;
  if (patterns > schemaLimits.patterns) return `it has more than ${schemaLimits.patterns} patterns`;
  return undefined;
}

/**
 * Counts the references that a validator follows. `anyOf: [{$ref: a}, {$ref: a}]`, nested some thirty times, is a short
 * schema whose check takes 2^30 steps; a schema that refers to itself in place never ends.
 */
export class Steps {
  /** Unlimited until a value arrives: the schema itself is checked first, in a time that its size bounds. */
  #left = Number.POSITIVE_INFINITY;

  /** Starts the check of a value. */
  allowFor(value: unknown): void {
    let members = 0;
    walk(value, () => {
      members += 1;
      return true;
    });
    this.#left = schemaLimits.steps + schemaLimits.stepsPerMember * members;
  }

  take(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooManySteps();
  }
}

export class TooManySteps extends Error {}

/** The start of each function that Ajv generates. Every reference is a call of one, because none is inlined. */
const beginning = "let vErrors = null;";

/** The generated code with a step counted at the start of each function. `self` is the Ajv that generated it. */
export function counting(code: string): string {
  return code.replaceAll(beginning, `${beginning}self.takeStep();`);
}

/** The first pair of equal items, in linear time; Ajv compares each item with all others. */
export function firstRepeated(items: readonly unknown[]): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonicalJson(item);
    const before = seen.get(text);
    if (before !== undefined) return { i: index, j: before };
    seen.set(text, index);
  }
  return undefined;
}

/**
 * Visits every member of a value, at any depth, until `see` returns false. The stack is a list, so deep values cannot
 * overflow the call stack.
 */
function walk(value: unknown, see: (name: string, value: unknown) => boolean): void {
  const left: unknown[] = [value];
  for (let each = left.pop(); left.length > 0 || each !== undefined; each = left.pop()) {
    if (typeof each !== "object" || each === null) continue;
    for (const [name, member] of Object.entries(each)) {
      if (!see(name, member)) return;
      if (typeof member === "object" && member !== null) left.push(member);
    }
  }
}
