import type { Approval } from "../api/types.ts";

export type AnswerChoice = NonNullable<Approval["answers"]>[number];

/** What the answer does, for the moment before it is given. */
export function willDo(approval: Approval, { word, label }: AnswerChoice): string {
  const { kind, title } = approval;
  if (word === "deny")
    return kind === "tool_call" || kind === "held_acts" ? nothing : `${label}, and nothing of it happens`;
  if (kind === "tool_call") return `${title}. Then the agent goes on.`;
  return title;
}

const nothing = "nothing of it happens, and the agent is told why";

/** What a yes takes here and is not there yet; null where it can be given. */
export function lacks({ demands }: Approval, { yes, needs_words }: AnswerChoice, reason: string): string | null {
  if (reason.trim() !== "") return null;
  if (needs_words) return "It says nothing without words.";
  return yes && demands?.reason ? "At this risk a yes takes a reason." : null;
}
