import { isJsonObject, type JsonValue } from "#core/values";

/** One change that the contract itself dictates, and where. */
export interface Fit {
  readonly step:
    | "const"
    | "default"
    | "enum case"
    | "number as text"
    | "text as number"
    | "null left out"
    | "one as list";
  readonly path: string;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Changes a value where its contract leaves only one reading: a constant or default that is absent, the case of an enum, a
 * number where text is wanted and the reverse without loss, null for what may be absent, one text where a list is wanted.
 * Text stays as it is, and no required field is invented. The result must be validated: this function accepts nothing.
 */
export function fitSchema(
  value: JsonValue,
  schema: object,
): { readonly value: JsonValue; readonly fits: readonly Fit[] } {
  const fits: Fit[] = [];
  const root = schema as Schema;
  return { value: fit({ root, fits }, value, root, ""), fits };
}

interface Fitting {
  readonly root: Schema;
  readonly fits: Fit[];
}

function fit(all: Fitting, value: JsonValue, declared: unknown, path: string): JsonValue {
  const schema = resolved(all.root, declared);
  if (!schema) return value;
  const listed = asList(all, value, schema, path);
  if (Array.isArray(listed))
    return listed.map((item: JsonValue, index) => fit(all, item, schema["items"], `${path}/${index}`));
  if (isJsonObject(listed)) return fitObject(all, listed, schema, path);
  return fitScalar(all, listed, schema, path);
}

function fitObject(all: Fitting, value: Record<string, JsonValue>, schema: Schema, path: string): JsonValue {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : undefined;
  if (!properties) return value;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fitted: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const declared = Object.hasOwn(properties, key) ? resolved(all.root, properties[key]) : undefined;
    const at = `${path}/${key}`;
    if (member === null && declared && !required.includes(key) && !takesNull(declared))
      all.fits.push({ step: "null left out", path: at });
    else fitted[key] = declared ? fit(all, member, declared, at) : member;
  }
  for (const key of required) {
    if (typeof key !== "string" || Object.hasOwn(fitted, key) || !Object.hasOwn(properties, key)) continue;
    const declared = resolved(all.root, properties[key]);
    const step = declared && ("const" in declared ? "const" : "default" in declared ? "default" : undefined);
    if (!declared || !step) continue;
    fitted[key] = declared[step] as JsonValue;
    all.fits.push({ step, path: `${path}/${key}` });
  }
  return fitted;
}

function asList(all: Fitting, value: JsonValue, schema: Schema, path: string): JsonValue {
  if (schema["type"] !== "array" || typeof value !== "string" || value.trim() === "") return value;
  const items = resolved(all.root, schema["items"]);
  if (items?.["type"] !== "string") return value;
  all.fits.push({ step: "one as list", path });
  return [value];
}

function fitScalar(all: Fitting, value: JsonValue, schema: Schema, path: string): JsonValue {
  const { type } = schema;
  const choices = "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  if (choices) {
    if (typeof value !== "string" || choices.includes(value)) return value;
    const alike = choices.filter((each) => typeof each === "string" && each.toLowerCase() === value.toLowerCase());
    if (alike.length !== 1) return value;
    all.fits.push({ step: "enum case", path });
    return alike[0] as JsonValue;
  }
  if (type === "string" && typeof value === "number") {
    all.fits.push({ step: "number as text", path });
    return String(value);
  }
  if ((type === "number" || type === "integer") && typeof value === "string" && String(Number(value)) === value) {
    const number = Number(value);
    if (!Number.isFinite(number) || (type === "integer" && !Number.isSafeInteger(number))) return value;
    all.fits.push({ step: "text as number", path });
    return number;
  }
  return value;
}

/** The schema behind a reference within the same document; one with alternatives has no single reading and is left alone. */
function resolved(root: Schema, declared: unknown, depth = 0): Schema | undefined {
  if (!isJsonObject(declared) || depth > 16) return undefined;
  const reference = declared["$ref"];
  if (typeof reference !== "string") return declared;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return resolved(root, at, depth + 1);
}

function takesNull(schema: Schema): boolean {
  const { type } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(null);
  // Alternatives, or no type at all: null may be one of the readings.
  return type === undefined && !("const" in schema);
}
