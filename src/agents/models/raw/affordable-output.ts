import type { BudgetStatus } from "../../budget/budgeter.ts";
import type { Price } from "../../budget/prices.ts";

/** The output that what is left of a limit on money pays for, behind the input. Programs ask for far more than they use. */
export function affordableOutput(
  { limits, spent, reserved, moved_to_children }: BudgetStatus,
  price: Price | undefined,
  input_tokens: number,
): number {
  if (limits.usd_limit === undefined || price === undefined) return Number.POSITIVE_INFINITY;
  const { input_per_million, output_per_million } =
    price.long_context && input_tokens > price.long_context.above_tokens ? price.long_context : price;
  if (output_per_million === 0) return Number.POSITIVE_INFINITY;
  const left = limits.usd_limit - spent.usd - reserved.usd - moved_to_children.usd;
  const forOutput = left - (input_tokens * input_per_million) / 1_000_000;
  return Math.max(0, Math.floor((forOutput * 1_000_000) / output_per_million));
}
