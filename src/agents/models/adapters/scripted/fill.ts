/** Puts the groups of the prompt's match and the prompt itself where a script names them: `${1}`, `${prompt}`. */
export function fill<T>(value: T, groups: readonly (string | undefined)[], prompt: string): T {
  if (typeof value === "string")
    return value.replaceAll(/\$\{(prompt|\d)\}/g, (_, name: string) =>
      name === "prompt" ? prompt : (groups[Number(name)] ?? ""),
    ) as T;
  if (Array.isArray(value)) return value.map((item) => fill(item, groups, prompt)) as T;
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, groups, prompt)])) as T;
  return value;
}
