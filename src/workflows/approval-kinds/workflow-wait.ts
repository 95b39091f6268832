import type { JsonObject } from "#core/values";
import type { ApprovalKind } from "#people";

/** A question that a phase of a cycle asks. Asked again with the same content, it is answered with what was decided. */
export interface PhaseQuestion {
  readonly question: string;
  readonly cycle_id: string;
  readonly phase: string;
  readonly visit: number;
  /** What the person decides about: the last review and the outputs so far, or one finding with its fix. */
  readonly about: JsonObject;
}

export interface WaitQuestion extends PhaseQuestion {
  readonly timeout_seconds: number | null;
}

/** A phase that waits for a person. */
export const workflowWait: ApprovalKind<"workflow_wait", WaitQuestion> = {
  kind: "workflow_wait",
  choices: () => ["approve", "deny"],
  occasion: ({ phase, visit }, session_id) => `${session_id} ${phase} ${visit}`,
  title: ({ cycle_id, phase }) => `let ${cycle_id} go on past ${phase}`,
  reason: ({ question }) => question,
  subject: {
    schema: {
      type: "object",
      required: ["question", "cycle_id", "phase", "visit", "session_id", "outputs"],
      properties: {
        question: { type: "string" },
        cycle_id: { type: "string" },
        phase: { type: "string" },
        visit: { type: "integer" },
        session_id: { type: "string" },
        outputs: { type: "object" },
        review_aggregate: { type: "object" },
      },
    },
    of: ({ question, cycle_id, phase, visit, about }, { session_id }) => ({
      question,
      cycle_id,
      phase,
      visit,
      session_id,
      ...about,
    }),
  },
  expiresInMs: ({ timeout_seconds }) => (timeout_seconds === null ? null : timeout_seconds * 1000),
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: "nothing", // `workflow.approval_given` says what was decided
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody decided before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "workflow waits", labels: { approve: "approve", deny: "deny" } },
};
