/** Cycles, phases and policies, their simulation and backtest. L8 of the design. Reaches models and tools only through work. */

export { gatedFinding } from "./approval-kinds/gated-finding.ts";
export { type BacktestService } from "./backtest/backtest-service.ts";
export { watchShadows } from "./backtest/watch-shadows.ts";
export { modeOf, modes, readInput } from "./cli/workflow-input.ts";
export type { Cycle, Mode, Persona } from "./definitions/cycle.ts";
export type { Workflows } from "./definitions/registry.ts";
export { valuePolicies } from "./definitions/value-policies.ts";
export { type KeptWorkflows, keepingWorkflows, pinnedWorkflows } from "./definitions/workspace-workflows.ts";
export { openWorkflows, type WorkflowsParts } from "./open.ts";
export { hasNoPerson } from "./run/approval.ts";
export type { AgentTask, FixWrite, PersonaRights } from "./run/cycle-run.ts";
export { type CycleEnd, runCycle } from "./run/run-cycle.ts";
