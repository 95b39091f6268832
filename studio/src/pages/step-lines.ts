/**
 * What a step said, a thing a line. Roles answer in JSON: two answers are sooner compared by `steps[0].description: …`
 * than as two long lines; of two such answers only the lines that differ are kept, where that is wanted.
 */
export function stepLines(
  left: string | undefined,
  right: string | undefined,
  onlyDifferent: boolean,
): readonly [string, string] {
  const [a, b] = [flat(left), flat(right)];
  if (!onlyDifferent || typeof a === "string" || typeof b === "string") return [joined(a), joined(b)];
  const differs = ([path]: readonly [string, string]) => a.get(path) !== b.get(path);
  return [joined(new Map([...a].filter(differs))), joined(new Map([...b].filter(differs)))];
}

type Flat = string | ReadonlyMap<string, string>;

function joined(said: Flat): string {
  return typeof said === "string" ? said : [...said].map(([path, value]) => `${path}: ${value}`).join("\n");
}

function flat(said = ""): Flat {
  if (!said.startsWith("{")) return said;
  try {
    const lines = new Map<string, string>();
    gather(JSON.parse(said), "", lines);
    return lines;
  } catch {
    return said; // it only looks like JSON
  }
}

function gather(value: unknown, path: string, lines: Map<string, string>): void {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) lines.set(path, typeof value === "string" ? value : JSON.stringify(value));
  for (const [name, inner] of entries)
    gather(inner, Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name, lines);
}
