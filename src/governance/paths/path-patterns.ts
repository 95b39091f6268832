import picomatch from "picomatch";
import type { Grant } from "./rights.ts";
import { workspacePath } from "./workspace-path.ts";

type Matcher = (path: string) => boolean;

const compiled = new WeakMap<readonly string[], Matcher>();

/**
 * Whether a list of globs names a path of the workspace. Dotfiles count. An empty list names nothing, and so does a
 * pattern that leaves the workspace or begins with `!`: in an allow-list a negation would grant everything but one.
 */
export function matchesPath(patterns: readonly string[], path: string): boolean {
  let matcher = compiled.get(patterns);
  if (!matcher) {
    matcher = compile(patterns);
    compiled.set(patterns, matcher);
  }
  return matcher(path.normalize("NFC"));
}

function compile(patterns: readonly string[]): Matcher {
  const globs = patterns.flatMap(readPattern);
  if (globs.length === 0) return () => false;
  const matchers = globs.map((glob) => picomatch(glob, { dot: true, nonegate: true, strictSlashes: true }));
  return (path) => path !== "" && matchers.some((matches) => matches(path));
}

/** `docs/` names what lies under it, as people mean it. */
function readPattern(pattern: string): readonly string[] {
  const glob = pattern.endsWith("/") ? `${pattern}**` : pattern;
  if (glob.startsWith("!")) return [];
  const path = workspacePath(glob);
  return path.ok && path.value !== "" ? [path.value.normalize("NFC")] : [];
}

/** Which of the sources do not name a path, in words; undefined when all do. Without a source nothing is named. */
export function whyNotNamed(grants: readonly Grant[], path: string): string | undefined {
  const missing = grants.filter(({ patterns }) => patterns === undefined || !matchesPath(patterns, path));
  if (grants.length > 0 && missing.length === 0) return undefined;
  const sources = missing.map(
    ({ source, patterns }) => `${source} names ${patterns?.slice(0, 8).join(", ") || "none"}`,
  );
  return sources.join(" and ") || "nobody grants any";
}
