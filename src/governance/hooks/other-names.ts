const builtin: Readonly<Record<string, readonly string[]>> = {
  "fs.read": ["Read", "NotebookRead"],
  "fs.write": ["Write", "Edit", "MultiEdit", "NotebookEdit"],
  "fs.list": ["Glob", "LS"],
  "fs.search": ["Grep"],
  exec: ["Bash"],
};

/**
 * What hook files of Claude Code call a tool that Writ has under its own name, so that their matchers are not passed by in
 * silence: `Write|Edit` is asked about `fs.write`, `mcp__memory__.*` about the tools of the server `memory`.
 */
export function otherNames(tool: string): readonly string[] {
  const known = Object.hasOwn(builtin, tool) ? builtin[tool] : undefined;
  if (known) return known;
  const dot = tool.indexOf(".");
  return dot < 1 ? [] : [`mcp__${tool.slice(0, dot)}__${tool.slice(dot + 1)}`];
}
