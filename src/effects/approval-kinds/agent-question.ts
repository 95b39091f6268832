import type { ApprovalKind } from "#people";

/** Something that an agent cannot find out and has to know. */
export interface AgentQuestion {
  readonly call_id: string;
  readonly role: string;
  readonly work_order_id: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** A question of an agent in its own words. The reason that comes with the word is the answer; it grants nothing. */
export const agentQuestion: ApprovalKind<"agent_question", AgentQuestion, unknown, "answer" | "decline"> = {
  kind: "agent_question",
  choices: () => ["answer", "decline"],
  occasion: ({ call_id }, session_id) => `${session_id} ${call_id} question`,
  title: ({ role, question }) => `The ${role === "solo" ? "agent" : role} asks: ${question.slice(0, 200)}`,
  reason: ({ question, options }) => (options.length === 0 ? question : `${question} (${options.join(" | ")})`),
  subject: {
    schema: {
      type: "object",
      required: ["question", "options", "call_id", "session_id", "work_order_id"],
      additionalProperties: false,
      properties: {
        question: { type: "string" },
        options: { type: "array", items: { type: "string" } },
        call_id: { type: "string" },
        session_id: { type: "string" },
        work_order_id: { type: "string" },
      },
    },
    of: ({ question, options, call_id, work_order_id }, { session_id, redact }) =>
      redact({ question, options: [...options], call_id, session_id, work_order_id }),
  },
  expiresInMs: "workspace default",
  words: "as written",
  needWords: ["answer"],
  wants: "nothing",
  recorded: ({ call_id }) => ({ call_id }),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody answered before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "questions of agents", labels: { answer: "answer", decline: "decline" } },
};
