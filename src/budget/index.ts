/** Allocates, reserves before a call, settles after it. Knows limits and prices, never what the money buys. */
export type {
  Budgeter,
  BudgetLimits,
  BudgetScope,
  BudgetStatus,
  Reservation,
  ReservationAsk,
  Spending,
} from "./budgeter.ts";
export { type BudgeterOptions, createBudgeter } from "./create-budgeter.ts";
export { foldBudget } from "./fold-budget.ts";
export type { BudgetPool, PoolOrder } from "./pool.ts";
export { costOf, type PriceTable } from "./prices.ts";
export { createRateLimiter, type RateLimiter, type TakeRate } from "./rate-limiter.ts";
