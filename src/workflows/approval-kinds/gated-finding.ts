import type { JsonObject } from "#core/values";
import type { Event } from "#log";
import type { ApprovalKind } from "#people";
import type { PhaseQuestion } from "./workflow-wait.ts";

/** Asked by the cycle, which waits before the fix is applied. */
export interface FindingQuestion extends PhaseQuestion {
  /** The fingerprint of the finding. */
  readonly finding: string;
}

/** Noted after the cycle has stopped: no session waits for the answer. */
export interface NotedFinding {
  readonly noted: Event<"workflow.finding_routed">;
}

/** A finding of a review that a person has to decide about. */
export const gatedFinding: ApprovalKind<"gated_finding", FindingQuestion | NotedFinding> = {
  kind: "gated_finding",
  choices: () => ["approve", "deny"],
  occasion: (question, session_id) =>
    isNoted(question)
      ? `${session_id} ${question.noted.seq}`
      : `${session_id} ${question.phase} ${question.visit} ${question.finding}`,
  title: (question) => {
    if (!isNoted(question)) return `${question.cycle_id} found something in ${question.phase}`;
    const { severity, title } = question.noted.payload;
    return `${severity} ${title}`;
  },
  reason: (question) => {
    if (!isNoted(question)) return question.question;
    const { route, reason } = question.noted.payload;
    return `${route}: ${reason}`;
  },
  subject: {
    schema: {
      type: "object",
      required: ["cycle_id", "phase", "visit", "session_id", "finding"],
      properties: {
        cycle_id: { type: "string" },
        phase: { type: "string" },
        visit: { type: "integer" },
        session_id: { type: "string" },
        // The finding itself where the cycle waits, its fingerprint where it was noted.
        finding: { anyOf: [{ type: "object" }, { type: "string" }] },
      },
    },
    of: (question, { session_id }) => {
      if (isNoted(question)) return { ...(question.noted.payload as unknown as JsonObject), session_id };
      const { cycle_id, phase, visit, about } = question;
      return { question: question.question, cycle_id, phase, visit, session_id, ...about };
    },
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: "nothing", // `workflow.finding_routed` says what was decided
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody decided before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "findings of a review", labels: { approve: "approve", deny: "deny" } },
};

function isNoted(question: FindingQuestion | NotedFinding): question is NotedFinding {
  return "noted" in question;
}
