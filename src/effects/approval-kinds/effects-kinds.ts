import type { ApprovalKinds } from "#people";
import { agentQuestion } from "./agent-question.ts";
import { type ChangedToolParts, changedTool } from "./changed-tool.ts";
import { heldActs } from "./held-acts.ts";
import { type InDoubtParts, inDoubt } from "./in-doubt.ts";
import { type QuarantinedTurnParts, quarantinedTurn } from "./quarantined-turn.ts";
import { serverQuestion } from "./server-question.ts";
import { toolCall } from "./tool-call.ts";

type Kinds =
  | "tool_call"
  | "in_doubt"
  | "quarantined_turn"
  | "changed_tool"
  | "agent_question"
  | "server_question"
  | "held_acts";

/** What a person is asked about acting. */
export const effectsKinds: Pick<ApprovalKinds<EffectsKindParts>, Kinds> = {
  tool_call: toolCall,
  in_doubt: inDoubt,
  quarantined_turn: quarantinedTurn,
  changed_tool: changedTool,
  agent_question: agentQuestion,
  server_question: serverQuestion,
  held_acts: heldActs,
};

/** What these kinds act with. */
export type EffectsKindParts = InDoubtParts & ChangedToolParts & QuarantinedTurnParts;
