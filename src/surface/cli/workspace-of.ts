import type { Invocation } from "#core/commands";
import type { Result } from "#core/values";

/** The workspace that a command works in; outside of one the answer says `writ init`. */
export async function workspaceOf(invocation: Pick<Invocation<object>, "context" | "root">): Promise<Result<string>> {
  const { findWorkspace } = await import("../../workspace/find-workspace.ts");
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  return findWorkspace({ cwd: invocation.context.cwd, root: invocation.root, files: nodeFiles });
}
