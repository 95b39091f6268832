import { isJsonObject } from "#core/values";
import { code } from "./markdown.ts";

export type Schema = Readonly<Record<string, unknown>>;

/** The type of a field in a few words: `text`, `whole number`, `one of a, b`, `list of text`. */
export function typeText(schema: unknown): string {
  if (!isJsonObject(schema)) return "anything";
  if (typeof schema["$ref"] === "string") return code(schema["$ref"]);
  if ("const" in schema) return code(JSON.stringify(schema["const"]));
  if (Array.isArray(schema["enum"])) return schema["enum"].map((each) => code(String(each))).join(", ");
  for (const key of ["oneOf", "anyOf"])
    if (Array.isArray(schema[key])) return [...new Set(schema[key].map(typeText))].join(" or ");
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  return types.map((type) => oneType(String(type), schema)).join(" or ");
}

function oneType(type: string, schema: Schema): string {
  switch (type) {
    case "string":
      return "text";
    case "integer":
      return "whole number";
    case "boolean":
      return "yes or no";
    case "array":
      return `list of ${typeText(schema["items"])}`;
    case "undefined":
      return "anything";
    default:
      return type;
  }
}

export function properties(schema: unknown): readonly (readonly [string, Schema])[] {
  const found = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(found).flatMap(([name, each]) => (isJsonObject(each) ? [[name, each] as const] : []));
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
