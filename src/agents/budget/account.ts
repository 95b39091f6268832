import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type Mandate, placeOf } from "#governance/mandate";
import type {
  Amount,
  BudgetLimits,
  BudgetStatus,
  BudgetSummary,
  Reservation,
  ReservationAsk,
  Spending,
} from "./budgeter.ts";
import { costOf } from "./prices.ts";

/** One work order's money. What was moved to children is gone from here until they give back what they did not need. */
export interface Account {
  readonly limits: BudgetLimits;
  /** Of the order whose limits they are. */
  readonly mandate?: Pick<Mandate, "decide"> | undefined;
  readonly spent: BudgetStatus["spent"];
  readonly reserved: BudgetStatus["reserved"];
  readonly moved: Amount;
}

const nothing: Amount = { tokens: 0, usd: 0, turns: 0 };

export function openAccount(limits: BudgetLimits, mandate?: Pick<Mandate, "decide">): Account {
  return {
    limits,
    mandate,
    spent: { input_tokens: 0, output_tokens: 0, usd: 0, turns: 0 },
    reserved: { tokens: 0, usd: 0 },
    moved: nothing,
  };
}

/** What may still be spent, reservations counted as spent. Money without a limit is without end. */
export function leftOf(account: Account): Amount {
  const { limits, spent, reserved, moved } = account;
  return {
    tokens: limits.token_limit - spent.input_tokens - spent.output_tokens - reserved.tokens - moved.tokens,
    usd:
      limits.usd_limit === undefined
        ? Number.POSITIVE_INFINITY
        : limits.usd_limit - spent.usd - reserved.usd - moved.usd,
    turns: limits.turn_limit - spent.turns - moved.turns,
  };
}

export type Decision =
  | { readonly kind: "granted"; readonly output_tokens: number; readonly usd: number }
  /** Not now: a call in flight may give back enough. */
  | { readonly kind: "wait"; readonly because: DomainError }
  | { readonly kind: "refused"; readonly because: DomainError };

/** Whether a call can be paid: as much output as wanted, or what is left if that is still of use. */
export function decideReservation(account: Account, ask: ReservationAsk): Decision {
  const { limits, spent, reserved, moved } = account;
  const left = leftOf(account);
  const calls = allows(account, "calls", spent.turns + moved.turns + (ask.repeats ? 0 : 1));
  if (!calls.allowed)
    return {
      kind: "refused",
      because: exhausted(`all ${limits.turn_limit} model calls are spent (${calls.where})`),
    };
  const later = reserved.tokens > 0 ? "wait" : "refused";
  const output_tokens = Math.min(ask.output_wanted, left.tokens - ask.input_tokens);
  const least = ask.input_tokens + Math.max(ask.output_least, output_tokens);
  const tokens = allows(account, "tokens", limits.token_limit - left.tokens + least);
  if (!tokens.allowed)
    return {
      kind: later,
      because: exhausted(
        `${Math.max(0, left.tokens)} of ${limits.token_limit} tokens are left, the call needs ${ask.input_tokens + ask.output_least} (${tokens.where})`,
      ),
    };
  const known = costOf(ask.price, { input_tokens: ask.input_tokens, output_tokens });
  const money = allows(account, "usd", usedOf(account).usd + (known ?? 0));
  if (known === undefined && limits.usd_limit !== undefined)
    return { kind: "refused", because: unpriced(ask.model, `$${limits.usd_limit} (${money.where})`) };
  if (!money.allowed)
    return {
      kind: later,
      because: exhausted(
        `the call may cost $${(known ?? 0).toFixed(4)}, $${Math.max(0, left.usd).toFixed(4)} are left (${money.where})`,
      ),
    };
  return { kind: "granted", output_tokens, usd: known ?? 0 };
}

/** The order's mandate decides; a part of an order's budget, which has none, by its own limits. */
function allows(
  { limits, mandate }: Account,
  what: "tokens" | "calls" | "usd",
  total: number,
): { readonly allowed: boolean; readonly where: string } {
  const name = ({ tokens: "token_limit", calls: "turn_limit", usd: "usd_limit" } as const)[what];
  const limit = limits[name];
  if (mandate === undefined || limit === undefined)
    return { allowed: limit === undefined || total <= limit, where: `budget.${name}` };
  const { allowed, clauses } = mandate.decide({ kind: "spend", what, total });
  return { allowed, where: clauses[0] ? placeOf(clauses[0]) : `budget.${name}` };
}

export function withReservation(
  account: Account,
  reservation: Pick<Reservation, "input_tokens" | "output_tokens" | "usd">,
  turns = 1,
): Account {
  return {
    ...account,
    spent: { ...account.spent, turns: account.spent.turns + turns },
    reserved: {
      tokens: account.reserved.tokens + reservation.input_tokens + reservation.output_tokens,
      usd: account.reserved.usd + reservation.usd,
    },
  };
}

/** The reservation makes room for what was really spent, even where that is more than was reserved. */
export function withSettlement(
  account: Account,
  reservation: Pick<Reservation, "input_tokens" | "output_tokens" | "usd">,
  spending: Spending,
): Account {
  return {
    ...account,
    spent: {
      input_tokens: account.spent.input_tokens + spending.input_tokens,
      output_tokens: account.spent.output_tokens + spending.output_tokens,
      usd: account.spent.usd + spending.usd,
      turns: account.spent.turns,
    },
    reserved: {
      tokens: account.reserved.tokens - reservation.input_tokens - reservation.output_tokens,
      usd: account.reserved.usd - reservation.usd,
    },
  };
}

/** A child's limits leave the parent whole; a parent that cannot spare them refuses. */
export function moveToChild(account: Account, limits: BudgetLimits): Result<Account> {
  const left = leftOf(account);
  const amount = amountOf(limits);
  if (amount.tokens > left.tokens)
    return err(exhausted(`a child asks for ${amount.tokens} tokens, its parent has ${Math.max(0, left.tokens)} left`));
  if (amount.turns > left.turns)
    return err(
      exhausted(`a child asks for ${amount.turns} model calls, its parent has ${Math.max(0, left.turns)} left`),
    );
  if (amount.usd > left.usd)
    return err(exhausted(`a child asks for $${amount.usd}, its parent has $${Math.max(0, left.usd)} left`));
  if (limits.usd_limit === undefined && account.limits.usd_limit !== undefined)
    return err(exhausted("a child of an order with a limit on money needs one too (budget.usd_limit)"));
  return ok({ ...account, moved: add(account.moved, amount) });
}

/** What a child used takes the place of what was moved to it, even where it used more. */
export function returnFromChild(account: Account, child: Account): Account {
  const { tokens, usd, turns } = amountOf(child.limits);
  return { ...account, moved: add(add(account.moved, usedOf(child)), { tokens: -tokens, usd: -usd, turns: -turns }) };
}

/** What an order used, with everything that its children used. */
export function usedOf({ spent, reserved, moved }: Account): Amount {
  return {
    tokens: spent.input_tokens + spent.output_tokens + reserved.tokens + moved.tokens,
    usd: spent.usd + reserved.usd + moved.usd,
    turns: spent.turns + moved.turns,
  };
}

export function withSpentByChild(account: Account, spent: Amount): Account {
  return { ...account, moved: add(account.moved, spent) };
}

export function budgetStatusOf(account: Account): BudgetStatus {
  return { limits: account.limits, spent: account.spent, reserved: account.reserved, moved_to_children: account.moved };
}

export function summaryOf(orders: Readonly<Record<string, BudgetStatus>>): BudgetSummary {
  const spent = { input_tokens: 0, output_tokens: 0, usd: 0, turns: 0 };
  const reserved = { tokens: 0, usd: 0 };
  for (const order of Object.values(orders)) {
    spent.input_tokens += order.spent.input_tokens;
    spent.output_tokens += order.spent.output_tokens;
    spent.usd += order.spent.usd;
    spent.turns += order.spent.turns;
    reserved.tokens += order.reserved.tokens;
    reserved.usd += order.reserved.usd;
  }
  return { orders, spent, reserved };
}

export function amountOf(limits: BudgetLimits): Amount {
  return { tokens: limits.token_limit, usd: limits.usd_limit ?? 0, turns: limits.turn_limit };
}

function add(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd, turns: a.turns + b.turns };
}

/** A limit on money over a model whose price is not known would hold nothing. */
function unpriced(model: string, limit: string): DomainError {
  return domainError("PRICE_UNKNOWN", `the budget allows ${limit}, and no price of ${model} is known to keep it by`, {
    details: {
      model,
      hint: `write its price into writ.yaml: prices: { ${model}: { input_per_million: …, output_per_million: … } }; or \`unknown_price: free\` if it costs nothing`,
    },
  });
}

function exhausted(message: string): DomainError {
  return domainError("BUDGET_EXHAUSTED", message);
}
