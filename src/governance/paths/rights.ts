import picomatch from "picomatch";

/** One source of rights: a list of patterns and who wrote it. An absent list grants nothing. */
export interface Grant {
  /** In words: `work order WO-… tool_permissions`. */
  readonly source: string;
  readonly patterns: readonly string[] | undefined;
}

const compiled = new Map<string, (name: string) => boolean>();

/** A name or glob of tools, hosts, programs or models. Compiled once. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  if (pattern === "") return () => false;
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size > 10_000) compiled.clear();
  // Nothing that negates: `!echo` in a list of grants would grant every tool but one.
  const glob = picomatch(pattern, { dot: true, nonegate: true, noextglob: true });
  const matcher = (name: string) => name === pattern || glob(name);
  compiled.set(pattern, matcher);
  return matcher;
}

/** For command lines, hosts and models: `*` stands for any run of characters, also slashes; everything else is literal. */
export function matchesText(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
