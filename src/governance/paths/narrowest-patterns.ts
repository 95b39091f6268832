/** Above this many a list says no longer what it is about, and names folders. */
const mostPatterns = 24;

/** Patterns that name these files: two of a kind in a folder become `folder/*.md`, very many become their folders. */
export function narrowestPatterns(paths: Iterable<string>): readonly string[] {
  const kinds = new Map<string, string[]>();
  for (const path of paths) {
    const kind = kindOf(path);
    kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
  }
  const patterns = [...kinds].map(([kind, [only = kind, ...more]]) => (more.length === 0 ? escaped(only) : kind));
  if (patterns.length <= mostPatterns) return patterns.toSorted();
  return [...new Set([...kinds.values()].flat().map(topFolder))].toSorted();
}

function kindOf(path: string): string {
  const at = path.lastIndexOf("/") + 1;
  const dot = path.lastIndexOf(".");
  return `${escaped(path.slice(0, at))}*${dot > at ? escaped(path.slice(dot)) : ""}`;
}

function topFolder(path: string): string {
  const at = path.indexOf("/");
  return at < 0 ? escaped(path) : `${escaped(path.slice(0, at))}/**`;
}

/** A name that holds a sign of patterns stands for itself. */
function escaped(path: string): string {
  return path.replace(/[*?[\]{}()!\\]/g, "\\$&");
}
