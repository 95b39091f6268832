import { domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "../values/result.ts";
import { suggest } from "../values/suggest.ts";
import type { Call, QueryParameter } from "./route.ts";

/** Parses the query string. An unknown parameter is refused: a misspelt filter must not return everything. */
export function readQuery(
  given: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, QueryParameter>>,
): Result<Call["query"]> {
  const values: Record<string, number | string | boolean | undefined> = {};
  for (const [name, parameter] of Object.entries(known)) values[name] = parameter.default;
  for (const [name, text] of Object.entries(given)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parameter) return refuse(`there is no parameter "${name}"${meant(name, Object.keys(known))}`);
    if (typeof text !== "string") return refuse(`"${name}" stands more than once`);
    const value = readValue(text, parameter);
    if (value === undefined) return refuse(`"${name}" is ${expected(parameter)}, found ${JSON.stringify(text)}`);
    values[name] = value;
  }
  for (const [name, { required, description }] of Object.entries(known))
    if (required && (values[name] ?? "") === "") return refuse(`"${name}" is needed: ${description}`);
  return ok(values);
}

/** The longest text of a parameter without a limit of its own. */
export const maxText = 512;

function readValue(text: string, parameter: QueryParameter): number | string | boolean | undefined {
  switch (parameter.type) {
    case "integer": {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = parameter;
      return value >= minimum && value <= maximum ? value : undefined;
    }
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "string":
      if (text.length > (parameter.maxLength ?? maxText) || (parameter.enum && !parameter.enum.includes(text)))
        return undefined;
      return text;
  }
}

function expected({ type, minimum = 0, maximum, maxLength = maxText, enum: words }: QueryParameter): string {
  if (words) return `one of ${words.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "string") return `text of at most ${maxLength} characters`;
  return maximum === undefined ? `a whole number from ${minimum}` : `a whole number from ${minimum} to ${maximum}`;
}

function meant(name: string, known: readonly string[]): string {
  const similar = suggest(name, known);
  return similar === undefined ? "" : `; did you mean "${similar}"?`;
}

function refuse(message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message));
}

/** The value of a declared integer parameter. */
export function integer(query: Call["query"], name: string, otherwise: number): number {
  const value = query[name];
  return typeof value === "number" ? value : otherwise;
}

export function text(query: Call["query"], name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const pageSize: QueryParameter = {
  type: "integer",
  description: "At most so many.",
  minimum: 1,
  maximum: 1000,
  default: 100,
};
