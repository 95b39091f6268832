import type { Answer } from "#core/values";
import type { Amount } from "./budgeter.ts";

/**
 * Money that several processes share. An order takes all it may spend at once and gives back what is left, so that no
 * call of a model needs a trip to the database and the sum can never exceed the limit.
 */
export interface BudgetPool {
  take(order: PoolOrder, amount: Amount): Answer<void>;
  /** Ends an order's share: what it spent stays gone, the rest is free again. Doing it twice does nothing the second time. */
  settle(order: PoolOrder, spent: Pick<Amount, "tokens" | "usd">): Answer<void>;
}

export interface PoolOrder {
  readonly session_id: string;
  readonly work_order_id: string;
}

/** A workspace without a limit of its own. */
export const unlimitedPool: BudgetPool = {
  take: () => ({ ok: true, value: undefined }),
  settle: () => ({ ok: true, value: undefined }),
};
