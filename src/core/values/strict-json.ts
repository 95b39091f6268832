import { type DomainError, domainError, messageOf } from "../errors/domain-error.ts";
import { checkJson } from "./check-json.ts";
import type { JsonValue } from "./json.ts";
import { err, type Result } from "./result.ts";

/**
 * `JSON.parse` for text from outside. It also refuses what `JSON.parse` accepts silently: duplicate keys
 * (`{"decision":"deny","decision":"allow"}` gives allow), numbers that change, lone surrogates, `__proto__` keys, and
 * unbounded nesting.
 */
export function parseJson(text: string): Result<JsonValue> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return err(malformed(`not JSON: ${messageOf(thrown)}`));
  }
  const checked = checkJson(value);
  if (!checked.ok) return checked;
  const problem = hiddenProblem(text, value);
  return problem === undefined ? checked : err(malformed(problem));
}

/**
 * Problems that parsing hides. A duplicate key makes the parsed value hold fewer members than the text has colons, so
 * valid text pays for one pass over its bytes and one over its values; only invalid text is searched for the place.
 */
function hiddenProblem(text: string, value: unknown): string | undefined {
  if (text.includes("e-") || text.includes("E-")) {
    const lost = lostNumber(text);
    if (lost !== undefined) return lost;
  }
  const count = { members: 0, prototype: false };
  countMembers(value, count);
  return count.prototype || countColons(text) !== count.members ? badKey(text) : undefined;
}

const quote = 34;
const colon = 58;
const backslash = 92;

/** Colons outside strings in text that is known to be JSON: one for each member. */
function countColons(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === colon) colons++;
  }
  return colons;
}

/** Position of the quote that ends the string begun at `start`; `indexOf` runs at memory speed through long text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function countMembers(value: unknown, count: { members: number; prototype: boolean }): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) countMembers(item, count);
    return;
  }
  for (const key of Object.keys(value)) {
    count.members++;
    if (key === "__proto__") count.prototype = true;
    countMembers((value as Record<string, unknown>)[key], count);
  }
}

/** Walks the text with the keys of each open object, to name the key that is wrong. */
function badKey(text: string): string | undefined {
  const open: (Set<string> | null)[] = []; // a set of keys per object, null per array
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") {
      open.push(char === "{" ? new Set() : null);
      expectKey = char === "{";
    } else if (char === "}" || char === "]") {
      open.pop();
      expectKey = false;
    } else if (char === ",") {
      expectKey = open.at(-1) !== null;
    } else if (char === '"') {
      const start = at;
      at = endOfString(text, at);
      if (!expectKey) continue;
      expectKey = false;
      const key = JSON.parse(text.slice(start, at + 1)) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return `the key ${shown(key)} stands twice in one object (${place(text, start)})`;
      if (key === "__proto__") return `the key "__proto__" is not accepted (${place(text, start)})`;
      keys?.add(key);
    }
  }
  return undefined;
}

/** A number such as 1e-400 becomes 0 silently. */
function lostNumber(text: string): string | undefined {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === 45 || (char >= 48 && char <= 57)) {
      const start = at;
      while (isNumberPart(text.charCodeAt(at + 1))) at++;
      const number = text.slice(start, at + 1);
      if (Number(number) === 0 && /^[^eE]*[1-9]/.test(number))
        return `the number ${shown(number)} is too small to keep (${place(text, start)})`;
    }
  }
  return undefined;
}

function isNumberPart(char: number): boolean {
  // digits, and + - . E e
  return (char >= 48 && char <= 57) || char === 43 || char === 45 || char === 46 || char === 69 || char === 101;
}

function place(text: string, at: number): string {
  const before = text.slice(0, at);
  return `line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function malformed(message: string): DomainError {
  return domainError("MALFORMED_INPUT", message);
}
