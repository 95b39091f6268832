import { err, type JsonValue, ok, parseJson, type Result } from "#core/values";

/** A value, and what had to be overlooked in its spelling to read it. */
export interface SpelledJson {
  readonly value: JsonValue;
  readonly steps: readonly ("trailing comma" | "control characters")[];
}

/**
 * JSON as models misspell it: a comma before a closing bracket, and raw control characters within a string. Both have one
 * meaning. Anything else that is not JSON stays refused: Python's literals, unquoted keys and cut text have none.
 */
export function parseLenient(text: string): Result<SpelledJson> {
  const strict = parseJson(text);
  if (strict.ok) return ok({ value: strict.value, steps: [] });
  const mended = mend(text);
  if (mended.steps.length === 0) return strict;
  const parsed = parseJson(mended.text);
  return parsed.ok ? ok({ value: parsed.value, steps: mended.steps }) : err(strict.error);
}

function mend(text: string): { readonly text: string; readonly steps: SpelledJson["steps"] } {
  const steps = new Set<SpelledJson["steps"][number]>();
  let out = "";
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isString) {
      if (char === "\\") out += char + text.charAt(++at);
      else if (char < " ") {
        out += JSON.stringify(char).slice(1, -1);
        steps.add("control characters");
      } else {
        out += char;
        if (char === '"') isString = false;
      }
      continue;
    }
    if (char === '"') isString = true;
    if (char === "," && /^\s*[}\]]/.test(text.slice(at + 1, at + 200))) {
      steps.add("trailing comma");
      continue;
    }
    out += char;
  }
  return { text: out, steps: [...steps] };
}
