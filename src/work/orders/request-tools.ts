import type { WorkOrder } from "#core/contracts";

/** What looks and changes nothing: granted to a request in any workspace. */
const reading = ["fs.list", "fs.read", "fs.search"];
/** Granted to a request in a workspace that its user trusts: what it writes stays within its scope, and waits until it is accepted. */
const working = ["ask", "fs.edit", "fs.write", "skill.load", "todo"];
/** Offered in such a workspace, and asked about at every call. */
const asked = ["exec"];

/** The tools of a request, and which of them a person is asked about first. */
export interface RequestTools {
  readonly tools: readonly string[];
  readonly approvals?: NonNullable<WorkOrder["approvals"]>;
}

/**
 * What a person's request may use where no skill says so: reading everywhere, working where the workspace is trusted, and
 * what was granted by name. Programs that were not granted are asked about.
 */
export function requestTools(isTrusted: boolean, granted: readonly string[]): RequestTools {
  if (!isTrusted) return { tools: unique([...reading, ...granted]) };
  const questions = asked.filter((tool) => !granted.includes(tool));
  return {
    tools: unique([...reading, ...working, ...asked, ...granted]),
    ...(questions.length === 0
      ? {}
      : {
          approvals: [
            {
              tools: questions,
              reason: `a request starts programs only if it was granted them (--tool ${questions.join(" --tool ")})`,
            },
          ],
        }),
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
