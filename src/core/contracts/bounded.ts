import { canonicalJson } from "../values/canonical.ts";

/**
 * What a schema may be that somebody else wrote: an order's, a tool's. People's and servers' have some hundred members.
 * Measured: compiling takes about 0.3 ms a member and 3 ms a pattern, on a busy machine.
 */
export interface SchemaLimits {
  /** Fields of objects and items of lists, at any depth. */
  readonly members: number;
  readonly patterns: number;
  /** References that are followed to check one value: a few for each of its members, and these besides. */
  readonly steps: number;
  readonly stepsPerMember: number;
}

export const schemaLimits: SchemaLimits = { members: 4_000, patterns: 200, steps: 10_000, stepsPerMember: 10 };

/** Why a schema is not even compiled, in words that end a sentence. */
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
 * Counts the references that a validator follows. `anyOf: [{$ref: a}, {$ref: a}]`, some thirty times over, is a short schema
 * that nobody sees the end of, and one that refers to itself in place has none.
 */
export class Steps {
  /** Until a value comes nothing is counted: the schema itself is checked first, in a time that its size decides. */
  #left = Number.POSITIVE_INFINITY;

  /** Begins the check of a value. */
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

/** Where Ajv begins each function that it generates; every reference is a call of one, as long as none is put in line. */
const beginning = "let vErrors = null;";

/** Generated code that takes a step where it begins. `self` is the Ajv that generated it. */
export function counting(code: string): string {
  return code.replaceAll(beginning, `${beginning}self.takeStep();`);
}

/** Ajv compares each item with all others; this takes time in proportion to their number. */
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

/** Every member of a value, at any depth; no further once `see` says so. The stack is a list: depth is no danger. */
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
