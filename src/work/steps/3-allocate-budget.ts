import type { BudgetLimits, BudgetScope } from "#agents";
import { ok, type Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import type { ResolvedAgent } from "./2-resolve-framework.ts";

export interface AllocatedBudget {
  readonly scope: BudgetScope;
  readonly limits: BudgetLimits;
}

/** Step 3. What the mandate lets the order spend is set aside. */
export async function allocateBudget(
  deps: FlowDependencies,
  state: FlowState,
  agent: ResolvedAgent,
  mandate: Mandate,
): Promise<Result<AllocatedBudget>> {
  const limits = limitsOf(mandate.document.limits);
  const scope = {
    session_id: state.session.session_id,
    work_order_id: state.order.work_order_id,
    agent_id: agent.agent_id,
  };
  const allocated = await deps.budgeter.allocate(scope, limits, {
    recorder: state.session,
    mandate,
    ...(state.parent ? { parent: state.parent.budget } : {}),
  });
  return allocated.ok ? ok({ scope, limits }) : allocated;
}

/** The limits that a mandate gives, without the clauses that gave them. */
export function limitsOf(bounds: Mandate["document"]["limits"]): BudgetLimits {
  return {
    token_limit: bounds.token_limit.value,
    turn_limit: bounds.turn_limit.value,
    timeout_seconds: bounds.timeout_seconds.value,
    ...(bounds.usd_limit === undefined ? {} : { usd_limit: bounds.usd_limit.value }),
  };
}
