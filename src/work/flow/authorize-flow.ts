import type { WorkOrder } from "#core/contracts";
import { type Caller, ok, type Result } from "#core/values";
import { limitsOfOrder } from "#governance/mandate";
import type { Authorization, OrderToWeigh } from "#people";
import type { ResolvedAgent } from "../steps/2-resolve-framework.ts";
import type { FlowDependencies } from "./flow.ts";
import { configFor } from "./order-mandate.ts";

interface AskingFlow {
  readonly caller: Caller | undefined;
  readonly order: WorkOrder;
  readonly before?: object;
}

/** Answers by what the order was granted. A child has only inherited rights, which were checked when its order was made. What began before took its uses then. */
export async function authorizeFlow(
  deps: FlowDependencies,
  { caller, order: submitted, before }: AskingFlow,
  order: WorkOrder,
  agent: ResolvedAgent,
): Promise<Result<Authorization["bounds"]>> {
  if (!caller) return ok([]);
  const authorized = deps.authorize(caller, orderToWeigh(deps, order, agent, before ? undefined : submitted));
  if (!authorized.ok) return authorized;
  const taken = before ? ok(undefined) : await deps.takeUses(order.work_order_id, authorized.value);
  return taken.ok ? ok(authorized.value.bounds) : taken;
}

/** An order with the limits that it would run with. */
export function orderToWeigh(
  deps: Pick<FlowDependencies, "config" | "usdLimitFor">,
  order: WorkOrder,
  { framework, agent_class }: ResolvedAgent,
  submitted: WorkOrder | undefined,
): OrderToWeigh {
  const { token_limit, usd_limit } = limitsOfOrder({ order, framework, config: configFor(deps, order) });
  return { order, submitted, agent_class, budget: { token_limit: token_limit.value, usd_limit: usd_limit?.value } };
}
