import { workspacePath } from "#governance";
import { type Act } from "#governance/mandate";

/** The act on one path. A path that is none is left to the tool, which refuses it. */
export function pathActs(kind: "read" | "write" | "delete", text: string): readonly Act[] {
  const path = workspacePath(text);
  return path.ok && path.value !== "" ? [{ kind, path: path.value }] : [];
}
