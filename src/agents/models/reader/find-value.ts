import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import { parseLenient } from "./lenient-json.ts";

export interface FoundValue {
  readonly value: JsonValue;
  readonly steps: readonly string[];
}

/**
 * The one object of a text: bare, in a fence of any spelling, or in prose. Two objects are refused, because to take one is
 * to choose; so is one that does not end or cannot be read, because what stands inside it is a part and not the answer.
 */
export function findValue(text: string): Result<FoundValue> {
  const whole = parseLenient(text);
  if (whole.ok) return ok(whole.value);
  const candidates = candidatesIn(text);
  if (!candidates.ok) return candidates;
  const [first, second] = candidates.value;
  if (!first) return refuse("no object", `there is no JSON object in it (${whole.error.message})`);
  if (second) return refuse("several objects", "there is more than one JSON object in it");
  const where = isFenced(text, first) ? "fence" : "prose";
  return ok({ value: first.value, steps: [where, ...first.steps] });
}

interface Candidate extends FoundValue {
  readonly start: number;
  readonly end: number;
}

/** What begins like an object or a list of objects; `{name}` and `[1]` in prose do not. */
const opens = /\{\s*(?:["'}]|[A-Za-z_$][\w$]*\s*:)|\[\s*\{/g;

function candidatesIn(text: string): Result<readonly Candidate[]> {
  const found: Candidate[] = [];
  opens.lastIndex = 0;
  for (let match = opens.exec(text); match; match = opens.exec(text)) {
    const start = match.index;
    const end = endOfBalanced(text, start);
    if (end === undefined) return refuse("cut", "the JSON in it does not end");
    const parsed = parseLenient(text.slice(start, end));
    if (!parsed.ok) return refuse("not JSON", `what looks like JSON in it cannot be read: ${parsed.error.message}`);
    const { value, steps } = parsed.value;
    // `{}` in prose is a pair of braces; as a whole text it was read before.
    if (!isJsonObject(value) || Object.keys(value).length > 0) found.push({ value, steps, start, end });
    if (found.length > 1) return ok(found);
    opens.lastIndex = end;
  }
  return ok(found);
}

/** The position after the bracket that closes the one at `start`, strings left out; undefined when none does. */
function endOfBalanced(text: string, start: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (isString) {
      if (char === "\\") at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

/** Backticks or tildes before it, with any info string; a closing fence may be absent. */
function isFenced(text: string, { start }: Candidate): boolean {
  return /(?:`{3,}|~{3,})[^\n`~{[]*\s*$/.test(text.slice(Math.max(0, start - 200), start));
}

function refuse(cause: string, message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message, { details: { cause } }));
}
