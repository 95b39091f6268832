import type { Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import type { Price } from "./prices.ts";

/** Whose money it is: a session holds work orders, a work order holds agents. */
export interface BudgetScope {
  readonly session_id: string;
  readonly work_order_id: string;
  readonly agent_id: string;
  /** A part of the order's budget that was moved to one persona; absent: the order itself. */
  readonly share?: string;
}

/** Tokens, money and model calls. */
export interface Amount {
  readonly tokens: number;
  readonly usd: number;
  readonly turns: number;
}

export interface BudgetLimits {
  readonly token_limit: number;
  /** Counts model calls. */
  readonly turn_limit: number;
  readonly timeout_seconds: number;
  readonly usd_limit?: number;
}

/** What a call may need at most: its input as estimated, and the output it would like and the least it can use. */
export interface ReservationAsk {
  readonly model: string;
  /** Undefined where it is not known: then no limit on money can be kept. */
  readonly price: Price | undefined;
  /** The reservation's id, where the caller derives it; absent: a new one. */
  readonly id?: string;
  readonly input_tokens: number;
  readonly output_wanted: number;
  readonly output_least: number;
  /** The call was begun before and is made again: it counts as one of the order's model calls only once. */
  readonly repeats?: boolean;
}

/** Money set aside before a call; what is not spent goes back when it is settled. */
export interface Reservation {
  readonly id: string;
  readonly scope: BudgetScope;
  readonly input_tokens: number;
  /** What the call may produce at most: never more than was wanted, less when the budget is nearly spent. */
  readonly output_tokens: number;
  readonly usd: number;
}

export interface Spending {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
  /** True when the provider did not say, and the reservation was taken instead. */
  readonly estimated: boolean;
}

export interface BudgetStatus {
  readonly limits: BudgetLimits;
  readonly spent: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly usd: number;
    readonly turns: number;
  };
  readonly reserved: { readonly tokens: number; readonly usd: number };
  readonly moved_to_children: { readonly tokens: number; readonly usd: number; readonly turns: number };
}

export interface BudgetSummary {
  readonly orders: Readonly<Record<string, BudgetStatus>>;
  readonly spent: BudgetStatus["spent"];
  readonly reserved: BudgetStatus["reserved"];
}

/** Money is reserved before a call and settled after it; a child's budget is moved from its parent, never copied. */
export interface Budgeter {
  allocate(
    scope: BudgetScope,
    limits: BudgetLimits,
    options: {
      readonly recorder: Recorder;
      readonly parent?: BudgetScope /** Decides about what the order spends. */;
      readonly mandate?: Pick<Mandate, "decide">;
    },
  ): Promise<Result<BudgetStatus>>;
  reserve(
    scope: BudgetScope,
    ask: ReservationAsk,
    options: { readonly recorder: Recorder; readonly signal?: AbortSignal },
  ): Promise<Result<Reservation>>;
  settle(
    reservation: Reservation,
    spending: Spending,
    options: { readonly recorder: Recorder },
  ): Promise<Result<BudgetStatus>>;
  /** Takes a reservation over from the record of a session that goes on: the log has it already. */
  adopt(reservation: Reservation, options?: { readonly repeats?: boolean }): Result<void>;
  /** A child that ended before its parent stopped: what it spent is gone from the parent that goes on. */
  spentByChild(parent: BudgetScope, spent: Amount): Result<void>;
  /** Lets go of an allocation whose session stops without ending: the pool gets back what is neither spent nor in flight. */
  suspend(scope: BudgetScope): Promise<Result<void>>;
  status(scope: BudgetScope): Promise<Result<BudgetStatus>>;
  /** Every order of a session that is at work here, and what they spent and hold together. */
  summary(session_id: string): BudgetSummary;
  /** Ends an allocation; what is left returns to the parent. */
  release(scope: BudgetScope, options: { readonly recorder: Recorder }): Promise<Result<BudgetStatus>>;
}
