import { isDeepStrictEqual } from "node:util";

/** JSON Schema as far as our contracts use it, written the slow and obvious way: the oracle for the compiled validators. */
export type Schema = Readonly<Record<string, unknown>>;
type Lookup = (id: string) => Schema;

const annotations = new Set([
  "$schema",
  "$id",
  "title",
  "description",
  "default",
  "$defs",
  "discriminator",
  "x-ledger",
  "contentEncoding",
  "then",
  "else",
]);

export function fits(schema: unknown, value: unknown, lookup: Lookup): boolean {
  if (typeof schema === "boolean") return schema;
  const rules = schema as Schema;
  return Object.keys(rules).every((keyword) => annotations.has(keyword) || holds(keyword, rules, value, lookup));
}

function holds(keyword: string, rules: Schema, value: unknown, lookup: Lookup): boolean {
  const rule = rules[keyword];
  const limit = rule as number;
  const list = Array.isArray(value) ? (value as unknown[]) : undefined;
  const fields =
    list === undefined && typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  const schemas = rule as readonly Schema[];
  switch (keyword) {
    case "$ref":
      return fits(lookup(rule as string), value, lookup);
    case "type":
      return [rule].flat().some((type) => isOf(type as string, value));
    case "enum":
      return (rule as unknown[]).includes(value);
    case "const":
      return value === rule;
    case "required":
      return !fields || (rule as string[]).every((name) => Object.hasOwn(fields, name) && fields[name] !== undefined);
    case "properties":
      return (
        !fields ||
        Object.entries(rule as Schema).every(
          ([name, each]) =>
            !Object.hasOwn(fields, name) || fields[name] === undefined || fits(each, fields[name], lookup),
        )
      );
    case "patternProperties":
      return (
        !fields ||
        Object.entries(rule as Schema).every(([pattern, each]) =>
          Object.keys(fields).every((name) => !regExp(pattern).test(name) || fits(each, fields[name], lookup)),
        )
      );
    case "additionalProperties": {
      const known = rules["properties"] ?? {};
      const patterns = Object.keys((rules["patternProperties"] ?? {}) as Schema).map((pattern) => regExp(pattern));
      const isKnown = (name: string) => Object.hasOwn(known, name) || patterns.some((pattern) => pattern.test(name));
      return !fields || Object.keys(fields).every((name) => isKnown(name) || fits(rule, fields[name], lookup));
    }
    case "items":
      return !list || list.every((item) => fits(rule, item, lookup));
    case "maxItems":
      return !list || list.length <= limit;
    case "minItems":
      return !list || list.length >= limit;
    case "uniqueItems":
      return (
        !list || list.every((item, index) => !list.slice(0, index).some((other) => isDeepStrictEqual(item, other)))
      );
    case "minProperties":
      return !fields || Object.keys(fields).length >= limit;
    case "maxProperties":
      return !fields || Object.keys(fields).length <= limit;
    case "minLength":
      return typeof value !== "string" || Array.from(value).length >= limit;
    case "maxLength":
      return typeof value !== "string" || Array.from(value).length <= limit;
    case "pattern":
      return typeof value !== "string" || regExp(rule as string).test(value);
    case "format":
      if (rule !== "date-time") throw new Error(`the reference does not know the format ${String(rule)}`);
      return (
        typeof value !== "string" ||
        (/^\d{4}-\d\d-\d\d[tT ]\d\d:\d\d:\d\d(\.\d+)?([zZ]|[+-]\d\d:?\d\d)$/.test(value) &&
          !Number.isNaN(Date.parse(value)))
      );
    case "exclusiveMinimum":
      return typeof value !== "number" || value > limit;
    case "exclusiveMaximum":
      return typeof value !== "number" || value < limit;
    case "multipleOf":
      return typeof value !== "number" || Number.isInteger(value / limit);
    case "minimum":
      return typeof value !== "number" || value >= limit;
    case "maximum":
      return typeof value !== "number" || value <= limit;
    case "oneOf":
      return schemas.filter((each) => fits(each, value, lookup)).length === 1;
    case "anyOf":
      return schemas.some((each) => fits(each, value, lookup));
    case "not":
      return !fits(rule, value, lookup);
    case "propertyNames":
      return !fields || Object.keys(fields).every((name) => fits(rule, name, lookup));
    case "allOf":
      return schemas.every((each) => fits(each, value, lookup));
    case "if":
      return fits(rules[fits(rule, value, lookup) ? "then" : "else"] ?? true, value, lookup);
    default:
      throw new Error(`the reference does not know the keyword ${keyword}: add it`);
  }
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

const compiled = new Map<string, RegExp>();

function regExp(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(pattern, "u");
  compiled.set(pattern, known);
  return known;
}
