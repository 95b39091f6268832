/** Tool names of other products, and the name of the same tool in Writ. */
const aliases: Readonly<Record<string, string>> = {
  Read: "fs.read",
  Write: "fs.write",
  Grep: "fs.search",
  Glob: "fs.list",
  LS: "fs.list",
};

const toolGlob = /^[A-Za-z0-9_*?][A-Za-z0-9_.:/*?-]{0,127}$/;

export interface NormalizedTools {
  /** Each entry as written, one by one. */
  readonly declared: readonly string[];
  /** Tools that the entries grant. */
  readonly granted: readonly string[];
  readonly notes: readonly string[];
}

/**
 * `allowed-tools` as people write it: a list, or one text with spaces or commas, such as `Bash(git:*) Read`. An entry with
 * an argument pattern grants nothing, because no tool here is limited by one, and half a limit would be none. An entry that
 * Writ has no tool for stays in the list: dispatch finds no such tool.
 */
export function normalizeTools(value: unknown): NormalizedTools | undefined {
  const declared = entries(value);
  if (declared === undefined) return undefined;
  const granted: string[] = [];
  const notes: string[] = [];
  for (const entry of declared) {
    const alias = Object.hasOwn(aliases, entry) ? aliases[entry] : undefined;
    if (alias !== undefined) notes.push(`the tool ${entry} is read as ${alias}`);
    else if (!toolGlob.test(entry))
      notes.push(`${JSON.stringify(entry)} is not a tool's name or glob and grants nothing`);
    const name = alias ?? (toolGlob.test(entry) ? entry : undefined);
    if (name !== undefined && !granted.includes(name)) granted.push(name);
  }
  return { declared, granted, notes };
}

function entries(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return split(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.map((item) => item.trim()).filter((item) => item !== "");
  return undefined;
}

/** Splits at spaces and commas, but not inside parentheses. */
function split(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = "";
  for (const char of text) {
    if (char === "(") depth += 1;
    else if (char === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && (char === "," || /\s/.test(char))) {
      if (current !== "") parts.push(current);
      current = "";
    } else current += char;
  }
  if (current !== "") parts.push(current);
  return parts;
}
