import type { StreamPartV1 } from "../api/types.ts";

/** What an agent has said and done since its last message began, as far as people are shown it. */
export interface LiveAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly steps: readonly string[];
  readonly todo: readonly { readonly text: string; readonly state: string }[];
  /** A question that waits for a person. */
  readonly approval: { readonly id: string; readonly title: string } | null;
}

export const nothingYet: LiveAnswer = { text: "", reasoning: "", steps: [], todo: [], approval: null };

/** The same after one more part of the stream. A whole answer takes the place of its pieces; a restart makes them void. */
export function withPart(live: LiveAnswer, part: StreamPartV1): LiveAnswer {
  const { text = "", name = "", status = "" } = part;
  switch (part.type) {
    case "text":
      return { ...live, text: part.whole ? text : live.text + text };
    case "reasoning":
      return { ...live, reasoning: live.reasoning + text };
    case "restart":
      return { ...live, text: "", reasoning: "" };
    case "call":
      return { ...live, text: "", steps: [...live.steps, `${name} ${JSON.stringify(part.args ?? {})}`] };
    case "result":
      return status === "ok" ? live : { ...live, steps: [...live.steps, `${name} ${status}: ${text}`] };
    case "todo":
      return { ...live, todo: part.items ?? [] };
    case "approval":
      return { ...live, approval: { id: part.approval_id ?? "", title: part.title ?? "" } };
    case "message":
      return { ...live, steps: [...live.steps, `a message arrived: ${text}`] };
    case "end":
      return nothingYet;
  }
}
