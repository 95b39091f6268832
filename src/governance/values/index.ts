/** Which values may go into which arguments. Finds where each value of a call comes from, by look-up, and asks rules. Decides; touches nothing. */

export type { ValueRights } from "./declarations.ts";
export type { ToolSinks } from "./describe-sinks.ts";
export type { ValueLabel } from "./judge-values.ts";
export { sessionAudits } from "./session-audits.ts";
export { ValueIndex } from "./value-index.ts";
export { type JudgedValues, type ValueJudge, valueJudge } from "./value-judge.ts";
