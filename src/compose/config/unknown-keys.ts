import { isJsonObject, nearest } from "#base";

export interface UnknownKey {
  readonly path: readonly (string | number)[];
  readonly key: string;
  readonly suggestion: string | undefined;
}

/** Finds the keys that a schema does not know, deep in a value, each with the one that was most likely meant. */
export function unknownKeys(
  schema: unknown,
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly UnknownKey[] {
  if (!isJsonObject(schema)) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownKeys(schema["items"], item, [...path, index]));
  if (!isJsonObject(value)) return [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = knownNames(schema, properties);
  return Object.entries(value).flatMap(([key, item]): readonly UnknownKey[] => {
    if (names && !names.includes(key)) return [{ path: [...path, key], key, suggestion: nearest(key, names) }];
    const inner = Object.hasOwn(properties, key) ? properties[key] : schema["additionalProperties"];
    return unknownKeys(inner, item, [...path, key]);
  });
}

/** The closed list of names that an object may use, or undefined when it is an open map. */
function knownNames(
  schema: Record<string, unknown>,
  properties: Record<string, unknown>,
): readonly string[] | undefined {
  if (schema["additionalProperties"] === false) return Object.keys(properties);
  const names = schema["propertyNames"];
  return isJsonObject(names) && Array.isArray(names["enum"]) ? names["enum"].map(String) : undefined;
}
