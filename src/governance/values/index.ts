/** Which values may go into which arguments. Finds where each value of a call comes from, by look-up, and asks rules. Decides; touches nothing. */

export { allowedActs } from "./approvals.ts";
export { type ToolDeclaration, unsaidRights, type ValueRights } from "./declarations.ts";
export type { DeclaredTools } from "./declared-tools.ts";
export type { ToolSinks } from "./describe-sinks.ts";
export type { ToolNature, ValueLabel } from "./judge-values.ts";
export { labelDrift } from "./label-drift.ts";
export { Rejudge, type RejudgedCall } from "./rejudge.ts";
export { sessionAudits } from "./session-audits.ts";
export { ValueIndex } from "./value-index.ts";
export { type JudgedValues, type ReadSession, type ValueJudge, valueJudge } from "./value-judge.ts";
export type { ValuePolicy } from "./value-policy.ts";
