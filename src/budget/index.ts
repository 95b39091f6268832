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
export { createBudgeter } from "./create-budgeter.ts";
export { costOf, type PriceTable } from "./prices.ts";
