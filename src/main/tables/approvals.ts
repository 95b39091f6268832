import type { ApprovalKinds } from "#people";
import { escalatedReview } from "../../agents/approval-kinds/escalated-review.ts";
import { agentQuestion } from "../../effects/approval-kinds/agent-question.ts";
import { type ChangedToolParts, changedTool } from "../../effects/approval-kinds/changed-tool.ts";
import { type InDoubtParts, inDoubt } from "../../effects/approval-kinds/in-doubt.ts";
import { type QuarantinedTurnParts, quarantinedTurn } from "../../effects/approval-kinds/quarantined-turn.ts";
import { toolCall } from "../../effects/approval-kinds/tool-call.ts";
import { heldStep } from "../../governance/approval-kinds/held-step.ts";
import { blockedWork } from "../../runs/approval-kinds/blocked-work.ts";
import { refusedActs } from "../../work/approval-kinds/refused-acts.ts";
import { gatedFinding } from "../../workflows/approval-kinds/gated-finding.ts";
import { workflowWait } from "../../workflows/approval-kinds/workflow-wait.ts";

/** What the kinds act with. */
export type ApprovalParts = InDoubtParts & ChangedToolParts & QuarantinedTurnParts;

/** Everything that a person can be asked. Imported by file: the studio reads this table, and a door would bring its place along. */
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
  refused_acts: refusedActs,
  agent_question: agentQuestion,
};
