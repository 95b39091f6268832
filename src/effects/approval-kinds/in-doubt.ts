import type { Result } from "#core/values";
import type { Approval, ApprovalKind } from "#people";
import type { CallQuestion } from "./call-question.ts";

export interface InDoubtParts {
  /** Whether the session has recorded the pending decision on this attempt of the call. */
  readonly isRecorded: (approval: Approval) => Promise<Result<boolean>>;
}

/** A call whose end is not recorded: only a person can say whether it took effect. */
export const inDoubt: ApprovalKind<"in_doubt", CallQuestion, InDoubtParts, "done" | "not_done"> = {
  kind: "in_doubt",
  choices: () => ["done", "not_done"],
  occasion: ({ call_id, attempt }, session_id) => `${session_id} ${call_id} ${attempt}`,
  title: ({ tool }) => `Did ${tool} take effect?`,
  reason: ({ reason }) => reason,
  subject: {
    schema: {
      type: "object",
      required: ["tool", "tool_hash", "args", "call_id", "attempt", "session_id", "work_order_id"],
      additionalProperties: false,
      properties: {
        tool: { type: "string" },
        tool_hash: { type: "string" },
        args: { type: "object" },
        call_id: { type: "string" },
        attempt: { type: "integer" },
        session_id: { type: "string" },
        work_order_id: { type: "string" },
      },
    },
    of: ({ tool, tool_hash, args, call_id, attempt, work_order_id }, { session_id }) => ({
      tool,
      tool_hash,
      args,
      call_id,
      attempt,
      session_id,
      work_order_id,
    }),
  },
  expiresInMs: "workspace default",
  words: "as written",
  needWords: [],
  wants: "nothing",
  recorded: ({ call_id }) => ({ call_id }),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: "nothing", // the call is in doubt whatever the time is
  isStillOpen: async ({ approval, parts }) => {
    const recorded = approval.choice === null ? notRecorded : await parts.isRecorded(approval);
    if (!recorded.ok) return recorded;
    return { ok: true, value: { state: recorded.value ? "carried out" : "open" } };
  },
  studio: { plural: "effects in doubt", labels: { done: "done", not_done: "not done" } },
};

const notRecorded: Result<boolean> = { ok: true, value: false };
