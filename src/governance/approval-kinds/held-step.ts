import type { JsonObject } from "#core/values";
import type { ApprovalKind } from "#people";
import type { HookPoint } from "../hooks/hook-point.ts";

/** A step that a hook wants a person to decide about, exactly as it would be taken. */
export interface HeldStepQuestion {
  readonly point: HookPoint;
  readonly subject?: string;
  readonly payload: JsonObject;
  readonly reason: string;
  readonly decidedBy: string;
}

/** A step that a hook holds at a gate until a person allows it. */
export const heldStep: ApprovalKind<"held_step", HeldStepQuestion> = {
  kind: "held_step",
  choices: () => ["approve", "deny"],
  occasion: ({ point, subject = "" }, session_id) => `${session_id} ${point} ${subject}`,
  title: ({ point, subject = "" }) => `go on past ${point}${subject === "" ? "" : ` of ${subject}`}`,
  reason: ({ reason }) => reason,
  subject: {
    schema: {
      type: "object",
      required: ["point", "subject", "payload", "asked_by", "session_id"],
      additionalProperties: false,
      properties: {
        point: { type: "string" },
        subject: { type: "string" },
        payload: { type: "object" },
        asked_by: { type: "string" },
        session_id: { type: "string" },
      },
    },
    of: ({ point, subject = "", payload, decidedBy }, { session_id, redact }) => ({
      point,
      subject,
      payload: redact(payload),
      asked_by: decidedBy,
      session_id,
    }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: () => ({}),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody allowed it before ${expires_at}`,
  isStillOpen: "until decided",
  studio: { plural: "steps that a hook holds", labels: { approve: "approve", deny: "deny" } },
};
