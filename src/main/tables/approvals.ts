import { escalatedReview } from "#agents";
import { changedTool, type InDoubtParts, inDoubt, toolCall } from "#effects";
import type { ApprovalKinds } from "#people";
import { gatedFinding } from "#workflows";
import { type ChangedToolParts } from "../../effects/approval-kinds/changed-tool.ts";
import { type QuarantinedTurnParts, quarantinedTurn } from "../../effects/approval-kinds/quarantined-turn.ts";
import { heldStep } from "../../governance/approval-kinds/held-step.ts";
import { blockedWork } from "../../runs/approval-kinds/blocked-work.ts";
import { workflowWait } from "../../workflows/approval-kinds/workflow-wait.ts";

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
