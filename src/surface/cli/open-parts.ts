import type { Answer, CliContext, Invocation, Opener, Openers, Opens } from "#core/commands";
import { nodeFiles } from "#core/machine";
import type { Result } from "#core/values";
import type { SessionAudits } from "#proof";

/** Opens the folder of the workspace alone; outside of one the answer says `writ init`. */
export const workspace: Opener<{ readonly root: string }> = async (invocation, work) => {
  const root = await workspaceOf(invocation);
  return root.ok ? work({ root: root.value }) : root;
};

/** The same for what stops and proves: a workspace whose configuration is gone still has records, and processes that run. */
export const recordedWorkspace: Opener<{ readonly root: string }> = async (invocation, work) => {
  const root = await workspaceOf(invocation, true);
  return root.ok ? work({ root: root.value }) : root;
};

/** The same where a command can do without; a folder that was named must be a workspace. */
export const workspaceOrNone: Opener<{ readonly root: string | undefined }> = orNone(workspace);
export const recordedWorkspaceOrNone: Opener<{ readonly root: string | undefined }> = orNone(recordedWorkspace);

function orNone(find: typeof workspace): Opener<{ readonly root: string | undefined }> {
  return async (invocation, work) => {
    let isFound = false;
    const answer = await find(invocation, (parts) => {
      isFound = true;
      return work(parts);
    });
    const isAbsent = !isFound && !answer.ok && answer.error.code === "WORKSPACE_NOT_FOUND";
    return isAbsent && invocation.root === undefined ? work({ root: undefined }) : answer;
  };
}

async function workspaceOf(invocation: Invocation<object>, byRecords = false): Promise<Result<string>> {
  const { findWorkspace } = await import("../../workspace/find-workspace.ts");
  return findWorkspace({ cwd: invocation.context.cwd, root: invocation.root, files: nodeFiles, byRecords });
}

interface Closable {
  close(): Promise<void | Result<void>>;
}

/** Asks a person for the consent that an opener requires; with it the opener is called again. */
type Asking = <T>(invocation: Invocation<object>, open: () => Promise<Result<T>>) => Promise<Result<T>>;

type MakeOpener = <Parts extends Closable>(
  open: (root: string, invocation: Invocation<object>) => Promise<Result<Parts>>,
) => Opener<Parts>;

/** Makes openers of what lies in a workspace: opened for the work with it, and closed however the work ended. */
export function opensInWorkspace(asking: Asking, find: typeof workspace = workspace): MakeOpener {
  return (open) => (invocation, work) =>
    find(invocation, async ({ root }) => {
      const opened = await asking(invocation, () => open(root, invocation));
      return opened.ok ? workAndClose(opened.value, work, invocation.context) : opened;
    });
}

/** A failure to close does not undo the work: it is printed. */
async function workAndClose<Parts extends Closable>(
  opened: Parts,
  work: (parts: Parts) => Promise<Result<Answer>>,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<Result<Answer>> {
  try {
    return await work(opened);
  } finally {
    const closed = await opened.close();
    if (closed && !closed.ok) stderr.write(`writ: ${closed.error.message}\n`);
  }
}

/** What a command may open by itself, and how a person is asked for trust before anything of a workspace starts. */
export type Bound<Opened> = { readonly [Need in keyof Opened]: Opens<Opened[Need]> } & {
  readonly askingForTrust: <T>(open: () => Promise<Result<T>>) => Promise<Result<T>>;
  /** What is checked of a record that was handed over, besides its chain. */
  readonly audits: () => Promise<SessionAudits>;
};

/** The openers bound to an invocation: for a command whose options decide what it opens. */
export function bindOpeners<Opened>(
  openers: Openers<Opened>,
  invocation: Invocation<object>,
  asking: Asking,
): Bound<Opened> {
  const bound = {} as { -readonly [Need in keyof Opened]: Opens<Opened[Need]> }; // every key is set below
  for (const need in openers)
    bound[need] = (work, at) => openers[need](at ? { ...invocation, root: at.root } : invocation, work);
  return {
    ...bound,
    askingForTrust: <T>(open: () => Promise<Result<T>>) => asking(invocation, open),
    audits: async () => (await import("../../governance/values/session-audits.ts")).sessionAudits,
  };
}
