/** A permission rule as people write it: `Tool`, `Tool(specifier)`, or a glob over names of tools. */
export interface PermissionRule {
  /** A name of Claude Code, or a glob over such names. */
  readonly tool: string;
  /** Absent: any use of the tool. */
  readonly specifier?: string;
}

const shape = /^([A-Za-z_*][\w*:.-]*)(?:\(([\s\S]*)\))?$/;

/** Undefined where it is no rule. `Bash(*)` and `Bash()` are `Bash`. */
export function readRule(text: string): PermissionRule | undefined {
  const [, tool, specifier] = shape.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const inside = specifier?.trim() ?? "";
  return inside === "" || inside === "*" ? { tool } : { tool, specifier: inside };
}

/** Rules of the files that a tool reads are written for `Read`, of those that it changes for `Edit`. */
export const fileRules: Readonly<Record<string, "Read" | "Edit">> = {
  Read: "Read",
  NotebookRead: "Read",
  Glob: "Read",
  Grep: "Read",
  LS: "Read",
  Edit: "Edit",
  Write: "Edit",
  MultiEdit: "Edit",
  NotebookEdit: "Edit",
};

/** Whether a rule with globs is about reading. */
export function isReadRule(rule: string): boolean {
  return fileRules[readRule(rule)?.tool ?? ""] === "Read";
}
