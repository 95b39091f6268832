import type { ApprovalKind } from "#people";

/** Work that its reviewer refused for the last time. */
interface Refused {
  readonly feedback: string;
  readonly rework_count: number;
  readonly reason: string;
}

/** Asked by the session, which waits and goes on with the output if it is accepted. */
export interface EscalatedReview extends Refused {
  readonly output: string;
}

/** Noted after the session of a run, a cycle or a parent has stopped: its app or its parent decides what becomes of it. */
interface NotedReview extends Refused {
  /** Of `review.escalated`. */
  readonly seq: number;
}

/** Work that no review passed counts only if a person accepts it. */
export const escalatedReview: ApprovalKind<
  "escalated_review",
  EscalatedReview | NotedReview,
  unknown,
  "accept" | "reject" | "acknowledge"
> = {
  kind: "escalated_review",
  choices: (question) => (isNoted(question) ? ["acknowledge"] : ["accept", "reject"]),
  occasion: (question, session_id) => (isNoted(question) ? `${session_id} ${question.seq}` : session_id),
  title: (question) =>
    isNoted(question)
      ? "A review did not pass, and rework is spent"
      : "accept work that its review did not pass, with its rework spent",
  reason: ({ reason }) => reason,
  subject: {
    schema: {
      type: "object",
      required: ["feedback", "reason", "rework_count", "session_id"],
      additionalProperties: false,
      properties: {
        output: { type: "string" },
        feedback: { type: "string" },
        reason: { type: "string" },
        rework_count: { type: "integer" },
        session_id: { type: "string" },
      },
    },
    of: (question, { session_id, redact }) => {
      const { feedback, reason, rework_count } = question;
      if (isNoted(question)) return { feedback, reason, rework_count, session_id }; // from the log, so redacted already
      return redact({ output: question.output, feedback, reason, rework_count, session_id });
    },
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: () => ({}),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody accepted it before ${expires_at}`,
  isStillOpen: "until decided",
  studio: {
    plural: "reviews that did not pass",
    labels: { accept: "accept", reject: "reject", acknowledge: "acknowledge" },
  },
};

function isNoted(question: EscalatedReview | NotedReview): question is NotedReview {
  return "seq" in question;
}
