import { checkJson, maxJsonDepth } from "./canonical.ts";
import { domainError } from "./domain-error.ts";
import type { JsonValue } from "./json.ts";
import { type Result, err, ok } from "./result.ts";

/**
 * `JSON.parse` for text from outside. It also refuses what `JSON.parse` takes in silence: a key that stands twice
 * (`{"decision":"deny","decision":"allow"}` gives allow), numbers that do not survive, lone surrogates,
 * `__proto__` keys, and nesting without end.
 */
export function parseJson(text: string): Result<JsonValue> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return err(domainError("MALFORMED_INPUT", `not JSON: ${(thrown as Error).message}`));
  }
  const problem = scan(text);
  if (problem) return err(domainError("MALFORMED_INPUT", problem));
  const checked = checkJson(value);
  return checked.ok ? ok(checked.value) : checked;
}

/** Walks text that is known to be JSON and looks at what parsing hides: doubled keys and rounded numbers. */
function scan(text: string): string | undefined {
  const open: (Set<string> | null)[] = []; // a set of keys per object, null per array
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" || char === "[") {
      open.push(char === "{" ? new Set() : null);
      expectKey = char === "{";
      if (open.length > maxJsonDepth) return `nesting deeper than ${maxJsonDepth} at character ${at}`;
    } else if (char === "}" || char === "]") {
      open.pop();
      expectKey = false;
    } else if (char === ",") {
      expectKey = open.at(-1) instanceof Set;
    } else if (char === '"') {
      const start = at;
      at = endOfString(text, at);
      if (!expectKey) continue;
      const key = JSON.parse(text.slice(start, at + 1)) as string;
      const keys = open.at(-1);
      if (keys?.has(key)) return `the key ${JSON.stringify(key)} stands twice in one object (character ${start})`;
      if (key === "__proto__") return `the key "__proto__" is not accepted (character ${start})`;
      keys?.add(key);
      expectKey = false;
    } else if (char === "-" || (char !== undefined && char >= "0" && char <= "9")) {
      const start = at;
      while (/[-+.eE0-9]/.test(text[at + 1] ?? "")) at++;
      const number = Number(text.slice(start, at + 1));
      if (!Number.isFinite(number)) return `the number ${text.slice(start, at + 1)} is out of range (character ${start})`;
    }
  }
  return undefined;
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
