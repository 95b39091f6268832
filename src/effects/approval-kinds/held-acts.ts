import type { JsonObject } from "#core/values";
import type { ApprovalKind } from "#people";
import { titleOfCall } from "./call-title.ts";

/** One of several acts that wait, as a person is asked about it. */
export interface HeldAct {
  readonly call_id: string;
  readonly tool: string;
  readonly tool_hash: string;
  /** With handles in place of sealed values. */
  readonly args: JsonObject;
  /** Where its values come from, and by which rules that is asked about. */
  readonly values: readonly JsonObject[];
  readonly rule?: string;
  readonly rules_hash: string;
  readonly doubts: readonly HeldDoubt[];
}

/** Why it waits: the value, where it came from, and the line in which it stands. */
export interface HeldDoubt {
  readonly at: string;
  readonly span?: readonly [number, number];
  /** In Writ's words, with the value quoted. */
  readonly why: string;
  /** Text of strangers, quoted. */
  readonly line?: string;
}

export interface HeldActsQuestion {
  readonly role: string;
  readonly work_order_id: string;
  readonly acts: readonly HeldAct[];
}

type Choice = "approve" | "approve_values" | "some" | "deny";

/** Acts of one agent that wait, asked about together. Each is allowed with these arguments, these labels and under these rules. */
export const heldActs: ApprovalKind<"held_acts", HeldActsQuestion, unknown, Choice> = {
  kind: "held_acts",
  choices: () => ["approve", "approve_values", "some", "deny"],
  occasion: ({ acts }, session_id) => `${session_id} ${acts.map(({ call_id }) => call_id).join(" ")}`,
  title: ({ acts }) => {
    const titles = acts.map(({ tool, args, doubts }) =>
      doubts.length === 0 ? titleOfCall(tool, args) : `${titleOfCall(tool, args)}, ${doubts.length} in doubt`,
    );
    return acts.length === 1 ? (titles[0] ?? "") : `${acts.length} acts: ${titles.join("; ")}`.slice(0, 300);
  },
  reason: ({ acts }) => acts.map((act, index) => rowOf(act, index)).join("\n"),
  subject: {
    schema: {
      type: "object",
      required: ["acts", "session_id", "work_order_id"],
      additionalProperties: false,
      properties: {
        acts: {
          type: "array",
          minItems: 1,
          items: { type: "object", required: ["call_id", "tool", "tool_hash", "args"] },
        },
        session_id: { type: "string" },
        work_order_id: { type: "string" },
      },
    },
    of: ({ acts, work_order_id }, { session_id }) => ({
      acts: acts.map((act) => JSON.parse(JSON.stringify(act)) as JsonObject),
      session_id,
      work_order_id,
    }),
  },
  expiresInMs: "workspace default",
  words: "as recorded",
  // The numbers of those that are allowed.
  needWords: ["some"],
  wants: "nothing",
  recorded: () => ({}),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: (expires_at) => `nobody allowed it before ${expires_at}`,
  isStillOpen: "until decided",
  studio: {
    plural: "acts whose values are in doubt",
    labels: { approve: "approve", approve_values: "approve values", some: "some", deny: "deny" },
  },
};

/** In plain words; what strangers wrote stands behind `>`. */
function rowOf({ tool, doubts }: HeldAct, index: number): string {
  const whys = doubts.map(({ why, line }) => (line === undefined ? why : `${why}\n     > ${line}`));
  return `${index + 1}. ${tool}: ${whys.join("\n   ")}`;
}
