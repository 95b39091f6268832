import type { BudgetLimits, BudgetScope } from "#agents";
import { ok, type Result } from "#core/values";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

export interface AllocatedBudget {
  readonly scope: BudgetScope;
  readonly limits: BudgetLimits;
}

/** Step 3. What the order asks for, filled up from the framework's and the configuration's defaults, is set aside. */
export async function allocateBudget(
  deps: FlowDependencies,
  state: FlowState,
  agent: ResolvedAgent,
): Promise<Result<AllocatedBudget>> {
  const limits = { ...deps.config.default_budget, ...agent.framework.manifest.default_budget, ...state.order.budget };
  const scope = {
    session_id: state.session.session_id,
    work_order_id: state.order.work_order_id,
    agent_id: agent.agent_id,
  };
  const allocated = await deps.budgeter.allocate(scope, limits, {
    recorder: state.session,
    ...(state.parent ? { parent: state.parent.budget } : {}),
  });
  return allocated.ok ? ok({ scope, limits }) : allocated;
}
