import type { Result } from "#base";
import type { Invocation } from "./act.ts";

/** The workspace that a command works in; outside of one the answer says `writ init`. */
export async function workspaceOf(invocation: Pick<Invocation<object>, "context" | "root">): Promise<Result<string>> {
  const { findWorkspace, nodeFiles } = await import("#compose");
  return findWorkspace({ cwd: invocation.context.cwd, root: invocation.root, files: nodeFiles });
}
