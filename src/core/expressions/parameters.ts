import { domainError } from "../errors/domain-error.ts";
import { jsonText } from "../values/json.ts";
import { err, ok, type Result } from "../values/result.ts";
import { suggest } from "../values/suggest.ts";

/** What `{{name}}` stands for: the fields of an order's input, and in prompts what the runner adds to them. */
export type Parameters = Readonly<Record<string, unknown>>;

// Anything between double braces on one line: a name that was misspelt has to fail, not to be sent as it stands.
const placeholder = /\{\{([^{}\n]*)\}\}/g;

/** Fills every `{{name}}` of a text; a name without a value is an error that says which names there are. */
export function fillParameters(text: string, values: Parameters, where: string): Result<string> {
  const missing = parametersOf(text).find((name) => parameterValue(values, name) === undefined);
  if (missing !== undefined) return err(noValue(missing, values, where));
  return ok(text.replaceAll(placeholder, (_, name: string) => parameterValue(values, name.trim()) ?? ""));
}

/** The names that a text asks for, each once. */
export function parametersOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = ""]) => name.trim()))];
}

/** Text as it is, anything else as JSON; null is no value. */
export function parameterValue(values: Parameters, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined || value === null ? undefined : jsonText(value);
}

function noValue(name: string, values: Parameters, where: string) {
  const names = Object.keys(values).filter((each) => parameterValue(values, each) !== undefined);
  const near = suggest(name, names);
  return domainError(
    "WORK_ORDER_INVALID",
    `${where} asks for {{${name}}}, and the order's input has no value for it${near === undefined ? "" : `; it has ${near}`}`,
    {
      details: {
        parameter: name,
        hint: near === undefined ? `give it in the work order: input: { ${name}: … }` : `did you mean {{${near}}}?`,
      },
    },
  );
}
