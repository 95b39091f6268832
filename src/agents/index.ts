/** L3. Role calls and plan-work-review: who speaks when, and what counts as an answer. Reaches models through the router and tools through dispatch. */

export type {
  AgentContext,
  AgentLimits,
  AgentSkill,
  FollowedCycle,
  ToolAnswer,
} from "./agent-context.ts";
export { escalatedReview } from "./approval-kinds/escalated-review.ts";
export { ask } from "./ask.ts";
export { converse, type Said, type Speaker } from "./converse.ts";
export { planWorkReview, type ReviewedWork } from "./plan-work-review.ts";
export type { Role } from "./role.ts";
