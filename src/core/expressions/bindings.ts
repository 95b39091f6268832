import type { JsonObject, JsonValue } from "../values/json.ts";

type Bound = string | boolean | number | bigint | null | Bound[] | Map<string, Bound>;

/** Amounts that are fractions by nature; every other whole number is an int, so that `findings.size() + cycle.generation` adds up. */
const fractions = new Set(["usd_limit", "usd_spent", "usd_left", "share_left"]);

const converted = new WeakMap<JsonObject, Readonly<Record<string, Bound>>>();

/** Facts as values of CEL. Maps and bindings have no prototype that an expression could reach. */
export function bindingsOf(facts: JsonObject): Readonly<Record<string, Bound>> {
  const known = converted.get(facts);
  if (known) return known;
  const bindings = Object.create(null) as Record<string, Bound>;
  for (const [name, value] of Object.entries(facts)) bindings[name] = convert(value, name);
  converted.set(facts, bindings);
  return bindings;
}

function convert(value: JsonValue, name: string): Bound {
  if (typeof value === "number") return Number.isSafeInteger(value) && !fractions.has(name) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => convert(item, name));
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, item]) => [key, convert(item, key)]));
  return value;
}
