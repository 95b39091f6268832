import { err } from "../values/result.ts";
import { isStorable, unstorable } from "../values/storable-text.ts";

/**
 * A port all of whose arguments are texts, numbers and lists of them, as they go into columns: what no store could keep is
 * refused before the driver sees it, by the same words on every driver.
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
  return Object.fromEntries(guarded) as Port; // the same names, and of each the same kind
}

/** The nearest name of the first text that cannot be kept. */
function unstorableIn(value: unknown, name: string): string | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : name;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    const where = unstorableIn(each, Array.isArray(value) ? name : key);
    if (where !== undefined) return where;
  }
  return undefined;
}
