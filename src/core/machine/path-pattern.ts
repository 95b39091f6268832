/** `*` and `?` stay within a folder, `**` does not. A library for globs would be loaded by every command that opens a workspace. */
export function patternOf(glob: string): RegExp {
  const parts: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
  const source = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (found) => parts[found] ?? `\\${found}`);
  return new RegExp(`^${source}$`, "u");
}
