import { type DomainError, domainError, err, type IdSource, ok, type Result } from "#base";
import type {
  Budgeter,
  BudgetLimits,
  BudgetScope,
  BudgetStatus,
  Reservation,
  ReservationAsk,
  Spending,
} from "./budgeter.ts";
import { costOf, type PriceTable } from "./prices.ts";

interface Account {
  readonly limits: BudgetLimits;
  spent: { input_tokens: number; output_tokens: number; usd: number; turns: number };
  reserved: { tokens: number; usd: number };
}

/** Budgets of the flows of this process, by work order. */
export function createBudgeter(options: { readonly ids: IdSource; readonly prices: PriceTable }): Budgeter {
  const accounts = new Map<string, Account>();
  const find = (scope: BudgetScope): Result<Account> => {
    const account = accounts.get(key(scope));
    return account
      ? ok(account)
      : err(domainError("BUDGET_EXHAUSTED", `no budget is allocated for ${scope.work_order_id}`));
  };
  return {
    async allocate(scope, limits) {
      const account: Account = {
        limits,
        spent: { input_tokens: 0, output_tokens: 0, usd: 0, turns: 0 },
        reserved: { tokens: 0, usd: 0 },
      };
      accounts.set(key(scope), account);
      return ok(statusOf(account));
    },
    async reserve(scope, ask) {
      const account = find(scope);
      if (!account.ok) return account;
      const granted = decideReservation(account.value, ask, options.prices);
      if (!granted.ok) return granted;
      account.value.reserved.tokens += ask.input_tokens + granted.value.output_tokens;
      account.value.reserved.usd += granted.value.usd;
      account.value.spent.turns += 1;
      return ok({ id: options.ids.sortable("RSV"), scope, input_tokens: ask.input_tokens, ...granted.value });
    },
    async settle(reservation, spending) {
      const account = find(reservation.scope);
      if (!account.ok) return account;
      apply(account.value, reservation, spending);
      return ok(statusOf(account.value));
    },
    async status(scope) {
      const account = find(scope);
      return account.ok ? ok(statusOf(account.value)) : account;
    },
    async release(scope) {
      const account = find(scope);
      accounts.delete(key(scope));
      return account.ok ? ok(statusOf(account.value)) : account;
    },
  };
}

function decideReservation(
  account: Account,
  ask: ReservationAsk,
  prices: PriceTable,
): Result<{ output_tokens: number; usd: number }> {
  const { limits, spent, reserved } = account;
  if (spent.turns >= limits.turn_limit)
    return err(exhausted(`all ${limits.turn_limit} model calls are spent (budget.turn_limit)`));
  const left = limits.token_limit - spent.input_tokens - spent.output_tokens - reserved.tokens;
  const output_tokens = Math.min(ask.output_wanted, left - ask.input_tokens);
  if (output_tokens < ask.output_least)
    return err(
      exhausted(
        `${Math.max(0, left)} of ${limits.token_limit} tokens are left, the call needs ${ask.input_tokens + ask.output_least} (budget.token_limit)`,
      ),
    );
  const usd = costOf(prices, ask.model, { input_tokens: ask.input_tokens, output_tokens });
  if (limits.usd_limit !== undefined && spent.usd + reserved.usd + usd > limits.usd_limit)
    return err(
      exhausted(
        `the call may cost $${usd.toFixed(4)}, $${(limits.usd_limit - spent.usd - reserved.usd).toFixed(4)} are left (budget.usd_limit)`,
      ),
    );
  return ok({ output_tokens, usd });
}

function apply(account: Account, reservation: Reservation, spending: Spending): void {
  account.reserved.tokens -= reservation.input_tokens + reservation.output_tokens;
  account.reserved.usd -= reservation.usd;
  account.spent.input_tokens += spending.input_tokens;
  account.spent.output_tokens += spending.output_tokens;
  account.spent.usd += spending.usd;
}

function statusOf(account: Account): BudgetStatus {
  return {
    limits: account.limits,
    spent: { ...account.spent },
    reserved: { ...account.reserved },
    moved_to_children: { tokens: 0, usd: 0, turns: 0 },
  };
}

function key(scope: BudgetScope): string {
  return `${scope.session_id}\n${scope.work_order_id}`;
}

function exhausted(message: string): DomainError {
  return domainError("BUDGET_EXHAUSTED", message);
}
