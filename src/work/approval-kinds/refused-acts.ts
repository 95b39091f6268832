import type { ApprovalKind } from "#people";
import type { RefusedAct } from "../flow/refused-acts.ts";

/** What agents of one order tried outside it. */
export interface RefusedActsQuestion {
  readonly acts: readonly RefusedAct[];
}

/** News rather than a question: nothing waits for the answer, and no answer grants what was refused. */
export const refusedActs: ApprovalKind<"refused_acts", RefusedActsQuestion, unknown, "acknowledge"> = {
  kind: "refused_acts",
  choices: () => ["acknowledge"],
  // A resumed session without a further refused act asks nothing.
  occasion: ({ acts }, session_id) => `${session_id} ${acts.length}`,
  title: ({ acts }) => {
    const tools = [...new Set(acts.map(({ tool }) => tool))].join(", ");
    return `An agent tried ${acts.length === 1 ? "an act" : `${acts.length} acts`} outside its order: ${tools}`;
  },
  reason: ({ acts: [first] }) => {
    const read = first?.after_reading ?? [];
    const before = read.length === 0 ? "" : ` It had just read ${read.join(", ")}.`;
    return `Nothing of it happened.${before} Look at what it read before you trust its answer.`;
  },
  subject: {
    schema: {
      type: "object",
      required: ["session_id", "acts"],
      additionalProperties: false,
      properties: {
        session_id: { type: "string" },
        acts: { type: "array", minItems: 1, items: { type: "object", required: ["tool", "code", "reason"] } },
      },
    },
    of: ({ acts }, { session_id, redact }) =>
      redact({ session_id, acts: acts.map((act) => JSON.parse(JSON.stringify(act))) }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: "nothing",
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: "nothing",
  isStillOpen: "until decided",
  studio: { plural: "acts outside an order", labels: { acknowledge: "acknowledge" } },
};
