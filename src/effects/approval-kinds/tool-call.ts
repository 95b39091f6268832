import type { ApprovalKind } from "#people";
import type { CallQuestion } from "./call-question.ts";
import { titleOfCall } from "./call-title.ts";

/** A call that a gate wants a person to allow, with exactly these arguments. */
export const toolCall: ApprovalKind<"tool_call", CallQuestion> = {
  kind: "tool_call",
  choices: () => ["approve", "deny"],
  occasion: ({ call_id }, session_id) => `${session_id} ${call_id}`,
  title: ({ tool, args }) => titleOfCall(tool, args),
  reason: ({ reason }) => reason,
  subject: {
    schema: {
      type: "object",
      required: ["tool", "tool_hash", "args", "call_id", "session_id", "work_order_id"],
      additionalProperties: false,
      properties: {
        tool: { type: "string" },
        tool_hash: { type: "string" },
        args: { type: "object" },
        call_id: { type: "string" },
        session_id: { type: "string" },
        work_order_id: { type: "string" },
        sealed: { type: "array", items: { type: "object" } },
        judged: { type: "object" },
      },
    },
    of: ({ tool, tool_hash, args, call_id, work_order_id, sealed, judged }, { session_id }) => ({
      tool,
      tool_hash,
      args,
      call_id,
      session_id,
      work_order_id,
      ...(sealed === undefined ? {} : { sealed: sealed.map((each) => ({ ...each })) }),
      ...(judged === undefined ? {} : { judged: { ...judged } }),
    }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: ({ call_id }) => ({ call_id }),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody allowed it before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "tool calls that a hook wants asked", labels: { approve: "approve", deny: "deny" } },
};
