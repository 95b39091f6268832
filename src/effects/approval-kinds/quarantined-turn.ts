import type { JsonObject, Result } from "#core/values";
import type { ApprovalKind, Deciding, FollowUp, StillOpen } from "#people";

/** A turn that wrote other than it had declared. */
export interface QuarantinedTurnQuestion {
  readonly turn_id: string;
  readonly code: string;
  readonly message: string;
  readonly declared: readonly string[];
  readonly writes: JsonObject[];
}

export interface QuarantinedTurnParts {
  readonly quarantinedTurns: {
    readonly isStillOpen: (deciding: Deciding<unknown>) => Promise<Result<StillOpen>>;
    readonly release: FollowUp<unknown>;
    readonly drop: FollowUp<unknown>;
  };
}

/** What a turn wrote against its declaration lands, or is thrown away. */
export const quarantinedTurn: ApprovalKind<
  "quarantined_turn",
  QuarantinedTurnQuestion,
  QuarantinedTurnParts,
  "release" | "drop"
> = {
  kind: "quarantined_turn",
  choices: () => ["release", "drop"],
  occasion: ({ turn_id }) => turn_id,
  title: ({ code, writes }) => {
    const paths = writes.flatMap(({ path }) => (typeof path === "string" ? path : []));
    const named = paths.length > 3 ? `${paths.slice(0, 3).join(", ")}, …` : paths.join(", ");
    return `land ${paths.length === 1 ? "a file" : `${paths.length} files`} written against a turn's word (${code}): ${named}`;
  },
  reason: ({ message }) => message,
  subject: {
    schema: {
      type: "object",
      required: ["turn_id", "code", "declared", "writes"],
      additionalProperties: false,
      properties: {
        turn_id: { type: "string" },
        code: { type: "string" },
        declared: { type: "array", items: { type: "string" } },
        writes: { type: "array", items: { type: "object" } },
      },
    },
    of: ({ turn_id, code, declared, writes }) => ({ turn_id, code, declared: [...declared], writes }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: "nothing",
  onApprove: (deciding) => deciding.parts.quarantinedTurns.release(deciding),
  onDeny: (deciding) => deciding.parts.quarantinedTurns.drop(deciding),
  onExpiry: "nothing",
  isStillOpen: (deciding) => deciding.parts.quarantinedTurns.isStillOpen(deciding),
  studio: { plural: "quarantined turns", labels: { release: "release", drop: "drop" } },
};
