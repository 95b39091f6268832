import { domainError } from "#core/errors";
import { oneLine, type Screen } from "#core/terminal";
import { err, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { type FormField, fieldsOf, misfitOf, typedValue, type Wanted } from "../approvals/answer-form.ts";

/** What a yes holds beside its words, for `writ inbox show`: the fields with their limits, or the address. */
export function describeWanted(wanted: Wanted, screen: Screen): readonly string[] {
  if ("url" in wanted) {
    const host = URL.canParse(wanted.url) ? new URL(wanted.url).host : "";
    return [
      `  visit    ${oneLine(wanted.url)}`,
      `  at       ${screen.yellow(host)}, then answer; Writ does not open it`,
      "",
    ];
  }
  const fields = fieldsOf(wanted.form);
  const secrets = fields.filter(({ isSecret }) => isSecret).map(({ name }) => oneLine(name));
  const warning =
    secrets.length === 0
      ? []
      : [
          screen.red(
            `  ${secrets.join(", ")}: looks like a secret, which a form may not ask for; it would get what you write`,
          ),
        ];
  return [...warning, ...fields.map((field) => `  field    ${describeField(field, screen)}`), ""];
}

function describeField(field: FormField, screen: Screen): string {
  const { name, title, description, isRequired, kind, choices, limits } = field;
  const said = [title === name ? "" : title, description].filter(Boolean).map(oneLine).join(": ");
  const values = choices.map(({ value, title: shown }) => oneLine(value === shown ? value : `${value} (${shown})`));
  const what = [kind, values.join(", "), limits, isRequired ? "required" : ""].filter(Boolean).join(", ");
  const fallback = field.default === undefined ? "" : `, else ${oneLine(JSON.stringify(field.default))}`;
  return `${screen.bold(oneLine(name))}  ${said}${said === "" ? "" : "  "}${screen.dim(`(${what}${fallback})`)}`;
}

/** The fields of `--field NAME=VALUE`, each of the kind that its form wants. */
export function fieldsGiven(wanted: Wanted | undefined, given: readonly string[]): Result<JsonObject> {
  if (!wanted || !("form" in wanted))
    return err(domainError("MALFORMED_INPUT", "this question has no fields; its answer is a choice, and the reason"));
  const fields = fieldsOf(wanted.form);
  const values: (readonly [string, JsonValue])[] = [];
  for (const word of given) {
    const [, name = "", text = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    const field = fields.find((each) => each.name === name);
    const value = field && typedValue(field, text);
    if (value === undefined)
      return err(
        domainError(
          "MALFORMED_INPUT",
          field
            ? `${name} is ${noun[field.kind]}, not ${JSON.stringify(text)}`
            : `--field takes NAME=VALUE with a field of the form: ${fields.map((each) => each.name).join(", ") || "it has none"}`,
        ),
      );
    values.push([name, value]);
  }
  return ok(Object.fromEntries(values));
}

const noun: Readonly<Record<FormField["kind"], string>> = {
  text: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  "one of": "one of its choices",
  "some of": "some of its choices, with commas between them",
};

/** Asks the person at the terminal for each field, again where the answer does not fit. An empty answer leaves a field out. */
export async function askForFields(form: JsonObject, ask: (question: string) => Promise<string>): Promise<JsonObject> {
  const values: (readonly [string, JsonValue])[] = [];
  for (const field of fieldsOf(form)) {
    const alone = { properties: { [field.name]: field.schema }, required: field.isRequired ? [field.name] : [] };
    const choices =
      field.choices.length === 0 ? "" : ` (${field.choices.map(({ value }) => oneLine(value)).join(", ")})`;
    for (let hint = ""; ; ) {
      const said = await ask(`${hint}${oneLine(field.title)}${choices}: `);
      if (said.trim() === "" && (!field.isRequired || field.default !== undefined)) break;
      const value = typedValue(field, said);
      const why =
        value === undefined ? `${field.name} is ${noun[field.kind]}` : misfitOf(alone, { [field.name]: value });
      if (value !== undefined && why === undefined) {
        values.push([field.name, value]);
        break;
      }
      hint = `${why ?? ""}; `;
    }
  }
  return Object.fromEntries(values);
}
