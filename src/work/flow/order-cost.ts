import type { BudgetStatus } from "#agents";
import type { FlowResultV2 } from "#core/contracts";

/** What an order has cost, with every order below it. */
export interface OrderCost {
  /** Null when no model was asked. */
  readonly tokens: FlowResultV2["tokens_used"];
  readonly usd: number;
  /** Models whose price is not known: what they cost is not in `usd`. */
  readonly unpriced_models?: string[];
  readonly over_budget?: NonNullable<FlowResultV2["over_budget"]>;
}

export const noCost: OrderCost = { tokens: null, usd: 0 };

/** As results and events have it, beside `tokens_used`. */
export function moneyOf({ usd, unpriced_models, over_budget }: OrderCost): Omit<OrderCost, "tokens"> {
  return { usd, ...(unpriced_models ? { unpriced_models } : {}), ...(over_budget ? { over_budget } : {}) };
}

/** Sums of decimal fractions are not exact: less than this is no overshoot. */
const smallestUsd = 1e-9;

/** How far an order is beyond its limits, with what its children used. */
export function withOvershoot(cost: OrderCost, budget: BudgetStatus): OrderCost {
  const { limits, spent, moved_to_children: moved } = budget;
  const tokens = spent.input_tokens + spent.output_tokens + moved.tokens - limits.token_limit;
  const usd = limits.usd_limit === undefined ? 0 : spent.usd + moved.usd - limits.usd_limit;
  if (tokens <= 0 && usd <= smallestUsd) return cost;
  return { ...cost, over_budget: { ...(tokens > 0 ? { tokens } : {}), ...(usd > smallestUsd ? { usd } : {}) } };
}
