import type { JsonValue } from "../values/json.ts";
import { loadCel } from "./load-cel.ts";

/** What an expression gave, as JSON; undefined for a value that JSON has no form for. */
export function jsonOfValue(value: unknown): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint" || typeof value === "number")
    return Number.isFinite(Number(value)) ? Number(value) : undefined;
  const { isCelList, isCelMap } = loadCel();
  if (isCelList(value)) return listOf([...value]);
  if (!isCelMap(value)) return undefined;
  const entries = [...value].map(
    ([key, item]) => [typeof key === "string" ? key : JSON.stringify(jsonOfValue(key)), jsonOfValue(item)] as const,
  );
  return entries.some(([, item]) => item === undefined)
    ? undefined
    : Object.fromEntries(entries.map(([key, item]) => [key, item ?? null]));
}

function listOf(items: readonly unknown[]): JsonValue | undefined {
  const values = items.map(jsonOfValue);
  return values.some((item) => item === undefined) ? undefined : values.map((item) => item ?? null);
}
