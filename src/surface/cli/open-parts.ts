import type { Answer, Invocation, Opener, Openers, Opens } from "#core/commands";
import type { Result } from "#core/values";

/** Opens the folder of the workspace alone; outside of one the answer says `writ init`. */
export const workspace: Opener<{ readonly root: string }> = async (invocation, work) => {
  const root = await workspaceOf(invocation);
  return root.ok ? work({ root: root.value }) : root;
};

/** The same where a command can do without; a folder that was named must be a workspace. */
export const workspaceOrNone: Opener<{ readonly root: string | undefined }> = async (invocation, work) => {
  const root = await workspaceOf(invocation);
  if (root.ok) return work({ root: root.value });
  return invocation.root === undefined && root.error.code === "WORKSPACE_NOT_FOUND" ? work({ root: undefined }) : root;
};

async function workspaceOf(invocation: Invocation<object>): Promise<Result<string>> {
  const { findWorkspace } = await import("../../workspace/find-workspace.ts");
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  return findWorkspace({ cwd: invocation.context.cwd, root: invocation.root, files: nodeFiles });
}

/** Closes what was opened, however the work with it ended. */
export async function workAndClose<Parts extends { close(): Promise<void> }>(
  opened: Result<Parts>,
  work: (parts: Parts) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

/** The openers bound to an invocation: for a command whose options decide what it opens. */
export function bindOpeners<Opened>(
  openers: Openers<Opened>,
  invocation: Invocation<object>,
): { readonly [Need in keyof Opened]: Opens<Opened[Need]> } {
  const bound = {} as { -readonly [Need in keyof Opened]: Opens<Opened[Need]> }; // every key is set below
  for (const need in openers)
    bound[need] = (work, at) => openers[need](at ? { ...invocation, root: at.root } : invocation, work);
  return bound;
}
