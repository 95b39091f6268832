import type { JsonObject, JsonValue } from "#core/values";

/** What an answer holds beside its choice: the fields of a form, or nothing, after an address was visited. */
export type Wanted = { readonly form: JsonObject } | { readonly url: string };

/** One field of a form, as a person fills it in. The words are those of who asks. */
export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What is asked for looks like a secret: a form is no place for it. */
  readonly isSecret: boolean;
  readonly kind: "text" | "number" | "integer" | "boolean" | "one of" | "some of";
  /** Of "one of" and "some of". */
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  readonly default: JsonValue | undefined;
  /** The limits in words, such as "at least 1"; empty where there are none. */
  readonly limits: string;
  readonly schema: JsonObject;
}

const secretWords =
  /pass(?:word|phrase|code)|secret|credential|api[ _-]?key|private[ _-]?key|access[ _-]?key|token|\bpin\b|\botp\b|\bcvv\b|card[ _-]?number|seed phrase/i;

/** The fields of a form, first those that are required. The form is JSON Schema of a flat object; what is not understood is a text. */
export function fieldsOf(form: JsonObject): readonly FormField[] {
  const required = Array.isArray(form["required"]) ? form["required"] : [];
  const fields = Object.entries(objectOf(form["properties"])).map(([name, field]): FormField => {
    const schema = objectOf(field);
    const title = textOf(schema["title"]) || name;
    const description = textOf(schema["description"]);
    const choices = choicesOf(schema);
    return {
      name,
      title,
      description,
      isRequired: required.includes(name),
      isSecret: secretWords.test(`${name.replaceAll("_", " ")}\n${name}\n${title}\n${description}`),
      kind: kindOf(schema, choices.length > 0),
      choices,
      default: schema["default"],
      limits: limitsOf(schema),
      schema,
    };
  });
  return fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

/** The fields as they are given, the defaults of the form, and, in the only field of text, words that came without fields. */
export function answerTo(form: JsonObject, given: JsonValue | undefined, words: string): JsonObject {
  const fields = fieldsOf(form);
  // Entries, because a field may have any name, `__proto__` too.
  const content = fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  if (isObject(given)) return { ...Object.fromEntries(content), ...given };
  const [only, ...others] = fields.filter(({ kind }) => kind === "text");
  if ((given === null || given === undefined) && words !== "" && only && others.length === 0)
    return Object.fromEntries([...content, [only.name, words] as const]);
  return Object.fromEntries(content);
}

/** Why an answer does not fit its form; undefined where it fits. */
export function misfitOf(form: JsonObject, answer: JsonObject): string | undefined {
  const fields = fieldsOf(form);
  const unknown = Object.keys(answer).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined)
    return `there is no field ${JSON.stringify(unknown)}; there is ${fields.map(({ name }) => name).join(", ") || "none"}`;
  for (const field of fields) {
    const value = Object.hasOwn(answer, field.name) ? answer[field.name] : undefined;
    if (value === undefined && !field.isRequired) continue;
    const why = value === undefined ? "is wanted" : misfit(field, value);
    if (why !== undefined) return `${field.name} ${why}`;
  }
  return undefined;
}

/** A field as a person types it, such as `4`, `yes` or `a,b`; undefined where the words are none of it. */
export function typedValue({ kind }: Pick<FormField, "kind">, words: string): JsonValue | undefined {
  const trimmed = words.trim();
  switch (kind) {
    case "text":
    case "one of":
      return words;
    case "number":
    case "integer":
      return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
    case "boolean":
      return /^(?:true|yes|y)$/i.test(trimmed) ? true : /^(?:false|no|n)$/i.test(trimmed) ? false : undefined;
    case "some of":
      return trimmed === "" ? [] : trimmed.split(",").map((each) => each.trim());
  }
}

function kindOf(schema: JsonObject, hasChoices: boolean): FormField["kind"] {
  const { type } = schema;
  if (type === "array") return "some of";
  if (hasChoices) return "one of";
  return type === "number" || type === "integer" || type === "boolean" ? type : "text";
}

/** `enum`, with `enumNames` in older forms, or `oneOf` and `anyOf` with a title each; of a list those of its items. */
function choicesOf(schema: JsonObject): FormField["choices"] {
  const source = schema["type"] === "array" ? objectOf(schema["items"]) : schema;
  const titled = source["oneOf"] ?? source["anyOf"];
  if (Array.isArray(titled))
    return titled.map(objectOf).flatMap(({ const: value, title }) => {
      return typeof value === "string" ? [{ value, title: textOf(title) || value }] : [];
    });
  const names = Array.isArray(source["enumNames"]) ? source["enumNames"] : [];
  if (!Array.isArray(source["enum"])) return [];
  return source["enum"].flatMap((value, at) =>
    typeof value === "string" ? [{ value, title: textOf(names[at]) || value }] : [],
  );
}

function misfit({ kind, choices, schema }: FormField, value: JsonValue): string | undefined {
  const isChoice = (one: JsonValue) => choices.length === 0 || choices.some((choice) => choice.value === one);
  const oneOf = `one of ${choices.map((choice) => choice.value).join(", ")}`;
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "is true or false";
    case "number":
    case "integer":
      if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value)))
        return kind === "integer" ? "is a whole number" : "is a number";
      return within(value, numberOf(schema["minimum"]), numberOf(schema["maximum"]))
        ? undefined
        : `is ${limitsOf(schema)}`;
    case "one of":
      return typeof value === "string" && isChoice(value) ? undefined : `is ${oneOf}`;
    case "some of": {
      if (!Array.isArray(value) || !value.every(isChoice)) return `is a list, each ${oneOf}`;
      const [least, most] = [numberOf(schema["minItems"]), numberOf(schema["maxItems"])];
      return within(value.length, least, most) ? undefined : `holds ${limitsOf(schema)}`;
    }
    case "text": {
      if (typeof value !== "string") return "is a text";
      const [least, most] = [numberOf(schema["minLength"]), numberOf(schema["maxLength"])];
      if (!within([...value].length, least, most)) return `has ${limitsOf(schema)}`;
      return hasFormat(value, textOf(schema["format"])) ? undefined : `is no ${textOf(schema["format"])}`;
    }
  }
}

function hasFormat(value: string, format: string): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(value);
    case "uri":
      return URL.canParse(value);
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
    case "date-time":
      return /^\d{4}-\d\d-\d\dT/i.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return true; // who asks judges it
  }
}

function limitsOf(schema: JsonObject): string {
  const [least, most, unit] =
    schema["type"] === "array"
      ? [numberOf(schema["minItems"]), numberOf(schema["maxItems"]), " of them"]
      : schema["type"] === "string"
        ? [numberOf(schema["minLength"]), numberOf(schema["maxLength"]), " characters"]
        : [numberOf(schema["minimum"]), numberOf(schema["maximum"]), ""];
  const format = textOf(schema["format"]);
  const bounds = [
    least === undefined ? "" : `at least ${least}${unit}`,
    most === undefined ? "" : `at most ${most}${unit}`,
  ];
  return [format, ...bounds].filter(Boolean).join(", ");
}

function within(value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return value >= least && value <= most;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
