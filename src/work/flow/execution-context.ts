import type { BudgetLimits, BudgetScope } from "#agents";
import type { FlowResultV2, PromptContractV1, WorkOrder } from "#core/contracts";
import type { CallCharges } from "#effects";
import type { Mandate } from "#governance/mandate";

/** The result of every flow. */
export type FlowResult = FlowResultV2;

/** The agent instance: created in step 4, run once, discarded. The fields are those of seed 000. */
export interface ExecutionContext {
  readonly agent_id: string;
  readonly agent_class: string;
  readonly framework_id: string;
  readonly tier: "hot" | "ho2" | "ho1";
  readonly work_order: WorkOrder;
  readonly prompt_contracts: readonly PromptContractV1[];
  /** What the framework says to its agents. */
  readonly instructions: readonly string[];
  readonly budget_scope: BudgetScope;
  /** The order's limits, completed with defaults. */
  readonly budget_limits: BudgetLimits;
  readonly path_authorizations: readonly string[];
  readonly tool_permissions: readonly string[];
  /** What the order may do. Everything that acts asks it. */
  readonly mandate: Mandate;
  /** How often its tool permissions were used. */
  readonly charges: CallCharges;
  readonly session_id: string;
  readonly created_at: string;
  readonly caller_id: string;
  readonly dev_mode: boolean;
}
