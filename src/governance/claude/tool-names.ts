/** What Claude Code calls each tool of Writ. The first name is the one that a call is shown under where nothing else is asked for. */
const builtin: Readonly<Record<string, readonly string[]>> = {
  exec: ["Bash"],
  "fs.read": ["Read", "NotebookRead"],
  "fs.write": ["Write", "Edit", "MultiEdit", "NotebookEdit"],
  "fs.edit": ["Edit", "MultiEdit", "NotebookEdit"],
  "fs.list": ["Glob", "LS"],
  "fs.search": ["Grep"],
  delegate: ["Task", "Agent"],
  "skill.load": ["Skill"],
  ask: ["AskUserQuestion"],
  todo: ["TodoWrite"],
};

/** The tool that a name of Claude Code stands for in a list of tools. */
const standsFor: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(builtin).flatMap(([tool, names]) => names.map((name) => [name, tool]))),
  Edit: "fs.edit",
  MultiEdit: "fs.edit",
  NotebookEdit: "fs.edit",
};

/** `mcp__server__tool` names a tool of an MCP server: `server.tool` here; without a tool all of the server's. */
const mcpName = /^mcp__([A-Za-z0-9_-]+?)(?:__([A-Za-z0-9_*-]+))?$/;

/** Every name that a tool of Writ has in hook files, rules and skills that were written for Claude Code. */
export function claudeNames(tool: string): readonly string[] {
  const known = Object.hasOwn(builtin, tool) ? builtin[tool] : undefined;
  if (known) return known;
  const dot = tool.indexOf(".");
  return dot < 1 ? [] : [`mcp__${tool.slice(0, dot)}__${tool.slice(dot + 1)}`];
}

/** The tool of Writ that a name of Claude Code stands for; undefined where Writ has none. */
export function toolNamed(name: string): string | undefined {
  if (Object.hasOwn(standsFor, name)) return standsFor[name];
  const [, server, tool = "*"] = mcpName.exec(name) ?? [];
  return server === undefined ? undefined : `${server}.${tool}`;
}
