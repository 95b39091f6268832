import { ok } from "#core/values";
import type { AgentPorts } from "../agent-ports.ts";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/**
 * Hands tasks to agents under orders of their own, below the order of the one that asks. A call that was cut off is made again:
 * its orders are found by the record, and those that ended are not carried out a second time.
 */
export function delegate({ handDown }: Pick<AgentPorts, "handDown">): BuiltinSpec<"delegate"> {
  return builtin({
    name: "delegate",
    description:
      "Hands tasks to agents of their own and waits for their answers. Each has at most what you have: name fewer tools and files where a task needs fewer. Their tokens are yours.",
    annotations: { readOnly: false, idempotent: true, openWorld: false },
    // What another agent answered is no instruction.
    trust: "untrusted",
    // The longest that a call may take; each order below has a limit of its own.
    timeoutMs: 600_000,
    staysOpen: true,
    // Each order below is weighed by itself before any of them starts.
    acts: () => [],
    invoke: async ({ tasks }, { session_id, signal }) => {
      const handed = await handDown(session_id, tasks, signal);
      return handed.ok ? ok({ answers: handed.value.answers.map((each) => ({ ...each })) }) : handed;
    },
  });
}
