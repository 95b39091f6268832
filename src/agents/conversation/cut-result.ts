import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#core/values";

/** What a model is shown of one result. */
const mostChars = 50 * 1024;
/** What is left for the fields that are not cut. */
const roomForRest = 2 * 1024;

/**
 * A result that is larger than a model is shown at once: its longest texts are cut, those of a program to their end and any
 * other to their beginning, and the rest is named as an artifact, which the record holds whole.
 */
export function cutResult(content: JsonValue, call_id: string): JsonValue {
  const text = canonicalJson(content);
  if (text.length <= mostChars) return content;
  const cut = {
    of_characters: text.length,
    rest: `artifact:${call_id}`,
    how: "fs.read with this path, start_line and line_count",
  };
  if (!isJsonObject(content)) return { beginning: head(text, mostChars - roomForRest), cut };
  const fields: JsonObject = content;
  const isProgram = typeof fields["exit_code"] === "number";
  const long = Object.entries(fields).filter(([, value]) => canonicalJson(value).length > roomForRest);
  const share = Math.floor((mostChars - roomForRest) / Math.max(1, long.length));
  const shown: Record<string, JsonValue> = { ...fields };
  for (const [name, value] of long) {
    const whole = typeof value === "string" ? value : canonicalJson(value);
    shown[name] = isProgram ? tail(whole, share) : head(whole, share);
  }
  const result: JsonObject = { ...shown, cut };
  return canonicalJson(result).length <= mostChars * 2
    ? result
    : { beginning: head(text, mostChars - roomForRest), cut };
}

function head(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

function tail(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(-length).toWellFormed()}`;
}
