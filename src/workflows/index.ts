/** L8. Cycles that people wrote as Markdown: registered fail-closed, decided by deterministic expressions, run through L3. Knows no tool and no provider. */
export { gatedFinding } from "./approval-kinds/gated-finding.ts";
export { workflowWait } from "./approval-kinds/workflow-wait.ts";
export {
  type BacktestedCycle,
  backtestPolicy,
  type DecisionDifference,
  type OutcomeDifference,
} from "./backtest/backtest-policy.ts";
export { PacedPolicy } from "./backtest/paced-policy.ts";
export { readCandidate } from "./backtest/read-candidate.ts";
export { type ShadowDecision, watchShadows } from "./backtest/watch-shadows.ts";
export { checkWorkflows } from "./check/check-workflows.ts";
export type { Cycle, Invoked, Mode, Persona, Phase, Policy, PolicyKind, Rule } from "./definitions/cycle.ts";
export type { Definition } from "./definitions/definition.ts";
export type { WorkflowRoot } from "./definitions/find-files.ts";
export type { Problem } from "./definitions/problem.ts";
export {
  createWorkflows,
  type Inspection,
  type WorkflowRegistry,
  type Workflows,
} from "./definitions/registry.ts";
export { type Compiled, compileExpression } from "./expressions/compile.ts";
export { graphOf } from "./graph/graph.ts";
export { toMermaid } from "./graph/mermaid.ts";
export { toSvg } from "./graph/svg.ts";
export type { AgentTask, CycleRun, FixWrite, PersonaRights } from "./run/cycle-run.ts";
export { type CycleEnd, runCycle } from "./run/run-cycle.ts";
export { generateScenario } from "./simulate/generate-findings.ts";
export type { Scenario } from "./simulate/scenario.ts";
export type { SimulatedFinding } from "./simulate/settle-simulated.ts";
export {
  decisionsByThemselves,
  type SimulatedStep,
  type Simulation,
  simulateCycle,
} from "./simulate/simulate-cycle.ts";
