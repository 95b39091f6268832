import type { JsonObject } from "#core/values";
import type { Approval, ApprovalKind, Inbox } from "#people";
import { valueOf } from "./tool-bench.ts";

interface PlainQuestion {
  readonly occasion: string;
  readonly subject: JsonObject;
}

const plain: ApprovalKind<"tool_call", PlainQuestion> = {
  kind: "tool_call",
  choices: () => ["approve", "deny"],
  occasion: ({ occasion }) => occasion,
  title: () => "t",
  reason: () => "r",
  subject: { schema: { type: "object" }, of: ({ subject }) => subject },
  expiresInMs: "workspace default",
  words: "as recorded",
  needWords: [],
  wants: "nothing",
  recorded: () => ({}),
  onApprove: "nothing",
  onDeny: "nothing",
  onExpiry: () => "too late",
  isStillOpen: "until decided",
  studio: { plural: "plain questions", labels: { approve: "approve", deny: "deny" } },
};

/** Ada asks; the question as the inbox shows it. */
export async function askPlainly(inbox: Inbox, question: PlainQuestion): Promise<Approval> {
  const { approval_id } = valueOf(await inbox.ask(plain, question, { author: "ada", session: null }));
  return valueOf(await inbox.find(approval_id));
}
