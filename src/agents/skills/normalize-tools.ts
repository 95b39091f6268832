import { toolNamed } from "#governance/mandate";

const commandPattern = /^Bash\(([^()]{1,400})\)$/;

/** `git:*` is git with anything behind it, `npm test` that line and no other. */
function programPatterns(line: string): readonly string[] {
  const words = line.replace(/:\*$/, "").trim();
  return line.endsWith(":*") ? [words, `${words} *`] : [words];
}

const toolGlob = /^[A-Za-z0-9_*?][A-Za-z0-9_.:/*?-]{0,127}$/;

export interface NormalizedTools {
  /** Each entry as written, one by one. */
  readonly declared: readonly string[];
  /** Tools that the entries grant. */
  readonly granted: readonly string[];
  /** Command lines that `exec` is limited to; undefined where it is not. */
  readonly programs?: readonly string[];
  readonly notes: readonly string[];
}

/**
 * `allowed-tools` as people write it: a list, or one text with spaces or commas, such as `Bash(git:*) Read`. `Bash(git:*)`
 * is `exec` for command lines that begin with `git`. Any other entry with an argument pattern grants nothing, because no other
 * tool is limited by one, and half a limit would be none. An entry that Writ has no tool for stays in the list: dispatch finds
 * no such tool.
 */
export function normalizeTools(value: unknown): NormalizedTools | undefined {
  const declared = entries(value);
  if (declared === undefined) return undefined;
  const granted: string[] = [];
  const notes: string[] = [];
  const programs: string[] = [];
  for (const entry of declared) {
    const [, line] = commandPattern.exec(entry) ?? [];
    if (line !== undefined) {
      notes.push(`${entry} is read as exec for ${line}`);
      programs.push(...programPatterns(line));
      continue;
    }
    const alias = toolNamed(entry);
    if (alias !== undefined) notes.push(`the tool ${entry} is read as ${alias}`);
    else if (!toolGlob.test(entry))
      notes.push(`${JSON.stringify(entry)} is not a tool's name or glob and grants nothing`);
    const name = alias ?? (toolGlob.test(entry) ? entry : undefined);
    if (name !== undefined && !granted.includes(name)) granted.push(name);
  }
  if (programs.length === 0) return { declared, granted, notes };
  // A plain `Bash` beside it is not limited: the wider entry holds.
  if (granted.includes("exec")) return { declared, granted, notes };
  return { declared, granted: [...granted, "exec"], programs, notes };
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
