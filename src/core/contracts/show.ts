const longest = 80;

/** A value in a message, cut to a printable length. Accepts any value. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length > longest
        ? `${JSON.stringify(value.slice(0, longest - 3)).slice(0, -1)}…" (${value.length} characters)`
        : JSON.stringify(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value)
        ? `an array of ${value.length}`
        : Object.keys(value).length === 0
          ? "an empty object"
          : "an object";
    case "number":
    case "boolean":
      return String(value);
    case "undefined":
      return "none";
    case "bigint":
    case "function":
    case "symbol":
      break;
  }
  return `a ${typeof value}`;
}
