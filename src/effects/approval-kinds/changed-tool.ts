import type { JsonObject, JsonValue, Result } from "#core/values";
import type { ApprovalKind, Deciding, FollowUp, StillOpen } from "#people";

/** A tool whose definition is no longer the approved one, as it is offered now. */
export interface ChangedToolQuestion {
  readonly server: string;
  readonly name: string;
  readonly hash: string;
  readonly definition: JsonObject;
  readonly differences: JsonValue;
  /** The session whose call was refused. */
  readonly noticed_in: string;
  readonly reason: string;
}

export interface ChangedToolParts {
  readonly changedTools: {
    readonly isStillOpen: (deciding: Deciding<unknown>) => Promise<Result<StillOpen>>;
    readonly approve: FollowUp<unknown>;
  };
}

/** The decision holds for the definition that was shown, if it is still the one that is offered. */
export const changedTool: ApprovalKind<"changed_tool", ChangedToolQuestion, ChangedToolParts> = {
  kind: "changed_tool",
  choices: () => ["approve", "deny"],
  occasion: ({ server, name, hash }) => `${server} ${name} ${hash}`,
  title: ({ name }) => `let agents call ${name} as it is offered now: it is no longer what was approved`,
  reason: ({ reason }) => reason,
  subject: {
    schema: {
      type: "object",
      required: ["name", "server", "hash", "definition", "differences", "noticed_in"],
      additionalProperties: false,
      properties: {
        name: { type: "string" },
        server: { type: "string" },
        hash: { type: "string" },
        definition: { type: "object" },
        differences: { type: "array" },
        noticed_in: { type: "string" },
      },
    },
    of: ({ name, server, hash, definition, differences, noticed_in }) => ({
      name,
      server,
      hash,
      definition,
      differences,
      noticed_in,
    }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: "nothing",
  onApprove: (deciding) => deciding.parts.changedTools.approve(deciding),
  onDeny: "nothing",
  onExpiry: "nothing",
  isStillOpen: (deciding) => deciding.parts.changedTools.isStillOpen(deciding),
  studio: { plural: "changed tools", labels: { approve: "approve", deny: "deny" } },
};
