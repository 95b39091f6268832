import type { BudgetLimits, BudgetScope } from "#agents";
import type { FlowResultV1, PromptContractV1, WorkOrderV1 } from "#core/contracts";

/** What a caller always gets back. */
export type FlowResult = FlowResultV1;

/** The agent instance: made in step 4, run, discarded. Seed 000's fields. */
export interface ExecutionContext {
  readonly agent_id: string;
  readonly agent_class: string;
  readonly framework_id: string;
  readonly tier: "hot" | "ho2" | "ho1";
  readonly work_order: WorkOrderV1;
  readonly prompt_contracts: readonly PromptContractV1[];
  readonly budget_scope: BudgetScope;
  /** What the order may spend, defaults filled in. */
  readonly budget_limits: BudgetLimits;
  readonly path_authorizations: readonly string[];
  readonly tool_permissions: readonly string[];
  readonly session_id: string;
  readonly created_at: string;
  readonly caller_id: string;
  readonly dev_mode: boolean;
}
