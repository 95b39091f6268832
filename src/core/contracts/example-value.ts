import { isJsonObject, type JsonValue } from "../values/json.ts";

/**
 * The plainest value that a JSON Schema accepts, with `text` for every free string. Enough for the arguments of tools
 * and the outputs of roles; a schema with further constraints needs a rule of its own.
 */
function exampleValue(schema: unknown, text: string, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth > 8) return text;
  if ("const" in schema) return schema["const"] as JsonValue;
  if (Array.isArray(schema["enum"])) return schema["enum"][0] as JsonValue;
  if ("default" in schema) return schema["default"] as JsonValue;
  for (const key of ["oneOf", "anyOf", "allOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices) && choices.length > 0) return exampleValue(choices[0], text, depth + 1);
  }
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "object":
      return exampleObject(schema, text, depth);
    case "array":
      return schema["minItems"] ? [exampleValue(schema["items"], text, depth + 1)] : [];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case "string":
      return isInstant(schema) ? "2026-01-01T00:00:00.000Z" : text;
    default:
      return isJsonObject(schema["properties"]) ? exampleObject(schema, text, depth) : text;
  }
}

/** A pattern that asks for a point in time, as the contracts here write it. */
function isInstant({ pattern, format }: Record<string, unknown>): boolean {
  return format === "date-time" || (typeof pattern === "string" && pattern.startsWith("^[0-9]{4}-[0-9]{2}-[0-9]{2}T"));
}

/** The same for a schema of an object: arguments always are one. */
export function exampleObject(schema: unknown, text: string, depth = 0): Record<string, JsonValue> {
  if (!isJsonObject(schema)) return {};
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  return Object.fromEntries(required.map((name) => [name, exampleValue(properties[name], text, depth + 1)]));
}
