import type { ApprovalKinds } from "#people";
import { escalatedReview } from "../../agents/approval-kinds/escalated-review.ts";
import { type EffectsKindParts, effectsKinds } from "../../effects/approval-kinds/effects-kinds.ts";
import { heldStep } from "../../governance/approval-kinds/held-step.ts";
import { blockedWork } from "../../runs/approval-kinds/blocked-work.ts";
import { refusedActs } from "../../work/approval-kinds/refused-acts.ts";
import { gatedFinding } from "../../workflows/approval-kinds/gated-finding.ts";
import { workflowWait } from "../../workflows/approval-kinds/workflow-wait.ts";

/** What the kinds act with. */
export type ApprovalParts = EffectsKindParts;

/** Everything that a person can be asked. Imported by file: the studio reads this table, and a door would bring its place along. */
export const approvalKinds: ApprovalKinds<ApprovalParts> = {
  ...effectsKinds,
  blocked_work: blockedWork,
  escalated_review: escalatedReview,
  gated_finding: gatedFinding,
  workflow_wait: workflowWait,
  held_step: heldStep,
  refused_acts: refusedActs,
};
