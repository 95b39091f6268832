/** A step of a session in a diff; the label of a tool call is its name with its arguments. */
export interface DiffStep {
  readonly name: string;
  readonly label: string;
  readonly result: string;
}

/** Both steps as text: the result of each, and before it the arguments of each where they differ. */
export function stepTexts(
  left: DiffStep | null | undefined,
  right: DiffStep | null | undefined,
  onlyDifferent: boolean,
): readonly [string, string] {
  const results = stepLines(left?.result, right?.result, onlyDifferent);
  if (!left || !right || left.label === right.label) return results;
  const args = stepLines(argsOf(left), argsOf(right), onlyDifferent);
  return [`${args[0]}\n→ ${results[0]}`, `${args[1]}\n→ ${results[1]}`];
}

function argsOf({ name, label }: DiffStep): string {
  return label.slice(name.length).trim();
}

/**
 * The output of a step, one field a line. Roles answer in JSON: two answers are easier to compare by `steps[0].description: …`
 * than as two long lines. Optionally only the lines that differ are kept.
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
  return typeof said === "string"
    ? said
    : [...said].map(([path, value]) => (path ? `${path}: ${value}` : value)).join("\n");
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
