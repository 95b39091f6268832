import type { ErrorObject } from "ajv";
import { suggest } from "../values/suggest.ts";

/** What a keyword of JSON Schema asked for, as the object of "expected". */
export function expectation(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const limit = Number(params["limit"]);
  switch (error.keyword) {
    case "type":
      return `type ${[params["type"]].flat().join(" or ")}`;
    case "required":
      return `a field ${quote(params["missingProperty"])}`;
    case "dependentRequired":
      return `a field ${quote(params["missingProperty"])} beside ${quote(params["property"])}`;
    case "additionalProperties":
      return noSuchField(params["additionalProperty"], error.parentSchema);
    case "unevaluatedProperties":
      return noSuchField(params["unevaluatedProperty"], error.parentSchema);
    case "enum":
      return `one of ${oneOf(params["allowedValues"], error.data)}`;
    case "const":
      return quote(params["allowedValue"]);
    case "discriminator":
      return tags(String(params["tag"]), error);
    case "pattern":
      return `text that matches ${String(params["pattern"])}`;
    case "format":
      return `a ${String(params["format"])}`;
    case "minLength":
      return limit === 1 ? "text that is not empty" : `at least ${limit} characters`;
    case "maxLength":
      return `at most ${limit} ${limit === 1 ? "character" : "characters"}`;
    case "minItems":
      return `at least ${limit} ${limit === 1 ? "item" : "items"}`;
    case "maxItems":
      return `at most ${limit} ${limit === 1 ? "item" : "items"}`;
    case "additionalItems":
    case "items":
      return `at most ${limit} ${limit === 1 ? "item" : "items"}`;
    case "minProperties":
      return `at least ${limit} ${limit === 1 ? "field" : "fields"}`;
    case "maxProperties":
      return `at most ${limit} ${limit === 1 ? "field" : "fields"}`;
    case "minimum":
      return `at least ${limit}`;
    case "maximum":
      return `at most ${limit}`;
    case "exclusiveMinimum":
      return `more than ${limit}`;
    case "exclusiveMaximum":
      return `less than ${limit}`;
    case "multipleOf":
      return `a multiple of ${String(params["multipleOf"])}`;
    case "uniqueItems":
      return `no item twice (${String(params["j"])} and ${String(params["i"])} are equal)`;
    case "contains":
      return `at least ${String(params["minContains"])} item that fits`;
    case "not":
      return "anything but this";
    case "false schema":
      return "nothing here";
    case "oneOf":
      return params["passingSchemas"] ? "a value that fits one form, not several" : forms(error);
    case "anyOf":
      return forms(error);
    default:
      return error.message ?? error.keyword;
  }
}

function forms(error: ErrorObject): string {
  const branches = Array.isArray(error.schema) ? error.schema : [];
  return `a value of one of ${branches.length} forms`;
}

function noSuchField(name: unknown, parent: unknown): string {
  const known = isRecord(parent) && isRecord(parent["properties"]) ? Object.keys(parent["properties"]) : [];
  const meant = suggest(String(name), known);
  return meant === undefined ? "no such field" : `no such field (did you mean ${quote(meant)}?)`;
}

function oneOf(allowed: unknown, found: unknown): string {
  const values = Array.isArray(allowed) ? (allowed as unknown[]) : [];
  const listed = values.map((value) => quote(value)).join(", ");
  const meant =
    typeof found === "string"
      ? suggest(
          found,
          values.filter((value) => typeof value === "string"),
        )
      : undefined;
  return meant === undefined ? listed : `${listed} (did you mean ${quote(meant)}?)`;
}

/** The tags of a tagged union are in its branches. */
function tags(tag: string, error: ErrorObject): string {
  const branches =
    isRecord(error.parentSchema) && Array.isArray(error.parentSchema["oneOf"]) ? error.parentSchema["oneOf"] : [];
  const values = branches.map((branch: unknown) => {
    const properties = isRecord(branch) && isRecord(branch["properties"]) ? branch["properties"][tag] : undefined;
    return isRecord(properties) ? properties["const"] : undefined;
  });
  const found = isRecord(error.data) ? error.data[tag] : undefined;
  return `one of ${oneOf(values, found)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
