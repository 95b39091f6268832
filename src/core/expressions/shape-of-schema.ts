import { isJsonObject } from "../values/json.ts";
import type { Shape } from "./variables.ts";

/** What a JSON Schema promises about a value. An object that may have further fields promises nothing about them. */
export function shapeOfSchema(schema: unknown): Shape {
  if (!isJsonObject(schema)) return { kind: "any" };
  if (isJsonObject(schema["items"])) return { kind: "list", items: shapeOfSchema(schema["items"]) };
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return { kind: "any" };
  return {
    kind: "fields",
    fields: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, shapeOfSchema(part)])),
  };
}

/** The first part of a path that the shape does not have; undefined when all of it may be there. */
export function missingIn(
  shape: Shape,
  path: readonly string[],
): { readonly at: number; readonly known: readonly string[] } | undefined {
  let here = shape;
  for (const [at, name] of path.entries()) {
    if (here.kind === "any") return undefined;
    if (here.kind === "list") {
      if (name !== "*") return { at, known: [] };
      here = here.items;
      continue;
    }
    if (here.kind === "plain") return { at, known: [] };
    const next = Object.hasOwn(here.fields, name) ? here.fields[name] : undefined;
    if (name === "*" || next === undefined) return { at, known: Object.keys(here.fields) };
    here = next;
  }
  return undefined;
}
