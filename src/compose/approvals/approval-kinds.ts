import { escalatedReview } from "#agents";
import type { ApprovalKinds } from "#governance";
import { heldStep } from "#hooks";
import { type ChangedToolParts, changedTool, type InDoubtParts, inDoubt, toolCall } from "#tools";
import { type QuarantinedTurnParts, quarantinedTurn } from "#turns";
import { gatedFinding, workflowWait } from "#workflows";
import { blockedWork } from "./blocked-work-kind.ts";

/** What the kinds act with. */
export type ApprovalParts = InDoubtParts & ChangedToolParts & QuarantinedTurnParts;

/** Everything that a person can be asked. */
export const approvalKinds: ApprovalKinds<ApprovalParts> = {
  tool_call: toolCall,
  in_doubt: inDoubt,
  quarantined_turn: quarantinedTurn,
  changed_tool: changedTool,
  blocked_work: blockedWork,
  escalated_review: escalatedReview,
  gated_finding: gatedFinding,
  workflow_wait: workflowWait,
  held_step: heldStep,
};
