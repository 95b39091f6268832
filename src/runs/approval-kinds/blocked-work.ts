import type { ApprovalKind } from "#people";

/** A work item that its worker blocked. */
export interface BlockedWorkQuestion {
  readonly work_id: string;
  readonly run_id: string;
  readonly app_id: string;
  readonly capability: string;
  readonly objective: string;
}

/** A person acknowledges blocked work; the app of its run decides what follows. */
export const blockedWork: ApprovalKind<"blocked_work", BlockedWorkQuestion, unknown, "acknowledge"> = {
  kind: "blocked_work",
  choices: () => ["acknowledge"],
  occasion: ({ work_id }) => work_id,
  title: ({ app_id }) => `Work of ${app_id} is blocked`,
  reason: ({ objective }) => objective,
  subject: {
    schema: {
      type: "object",
      required: ["work_id", "run_id", "capability", "objective"],
      additionalProperties: false,
      properties: {
        work_id: { type: "string" },
        run_id: { type: "string" },
        capability: { type: "string" },
        objective: { type: "string" },
      },
    },
    of: ({ work_id, run_id, capability, objective }) => ({ work_id, run_id, capability, objective }),
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
  studio: { plural: "blocked work", labels: { acknowledge: "acknowledge" } },
};
