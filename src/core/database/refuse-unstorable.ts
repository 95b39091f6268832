import { err } from "../values/result.ts";
import { isStorable, unstorable } from "../values/storable-text.ts";

/**
 * Wraps a port all of whose arguments are texts, numbers and lists of them, as they go into columns: a text that no
 * store can keep is refused before the driver sees it, with the same message on every driver.
 */
export function refuseUnstorable<Port extends object>(port: Port): Port {
  const guarded = Object.entries(port).map(([name, method]) => {
    if (typeof method !== "function") return [name, method] as const;
    const ask = (...values: readonly unknown[]): unknown => {
      const where = unstorableIn(values, name);
      return where === undefined ? Reflect.apply(method, port, values) : Promise.resolve(err(unstorable(where)));
    };
    return [name, ask] as const;
  });
  return Object.fromEntries(guarded) as Port; // the same names, each with the same type
}

/** The name nearest to the first text that cannot be stored. */
function unstorableIn(value: unknown, name: string): string | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : name;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const where = unstorableIn(each, Array.isArray(value) ? name : key);
    if (where !== undefined) return where;
  }
  return undefined;
}
