import { domainError } from "#core/errors";
import { err, type IdSource, ok, type Result } from "#core/values";
import type { Event, Recorder } from "#log";
import {
  type Account,
  amountOf,
  budgetStatusOf,
  decideReservation,
  leftOf,
  moveToChild,
  openAccount,
  returnFromChild,
  summaryOf,
  usedOf,
  withReservation,
  withSettlement,
  withSpentByChild,
} from "./account.ts";
import type { Budgeter, BudgetLimits, BudgetScope, BudgetStatus } from "./budgeter.ts";
import { type BudgetPool, unlimitedPool } from "./pool.ts";
import { isFree } from "./prices.ts";
import type { RateLimiter } from "./rate-limiter.ts";

export interface BudgeterOptions {
  readonly ids: IdSource;
  /** Ceiling of a single session, whatever its orders ask for. */
  readonly session?: { readonly token_limit: number | null; readonly usd_limit: number | null };
  /** The pool that all sessions of the workspace share. */
  readonly pool?: BudgetPool;
  readonly rate?: RateLimiter;
  /** Whether calls that cost nothing keep the pace too: the model of a script or of this machine has a pace of its own. */
  readonly pacesFreeCalls?: boolean;
}

interface Held {
  readonly scope: BudgetScope;
  account: Account;
  readonly parent: BudgetScope | undefined;
  /** Reservations that wait for a call in flight to return part of its own. */
  readonly waiting: (() => void)[];
}

/** Budgets by work order. Each change is recorded before it takes effect, so that the state can be rebuilt from the ledger. */
export function createBudgeter(options: BudgeterOptions): Budgeter {
  const { ids, pool = unlimitedPool } = options;
  const held = new Map<string, Held>();
  const find = (scope: BudgetScope): Result<Held> => {
    const found = held.get(key(scope));
    return found
      ? ok(found)
      : err(domainError("BUDGET_EXHAUSTED", `no budget is allocated for ${scope.work_order_id}`));
  };

  return {
    async allocate(scope, limits, { recorder, parent, mandate }) {
      if (held.has(key(scope)))
        return err(domainError("BUDGET_EXHAUSTED", `${scope.work_order_id} has its budget already`));
      const over = overSession(limits, options.session);
      if (over !== undefined) return err(domainError("BUDGET_EXHAUSTED", over));
      if (parent === undefined) {
        const taken = await pool.take(scope, amountOf(limits));
        if (!taken.ok) return taken;
      } else {
        const giver = find(parent);
        if (!giver.ok) return giver;
        const moved = moveToChild(giver.value.account, limits);
        if (!moved.ok) return moved;
        giver.value.account = moved.value;
      }
      const account = openAccount(limits, mandate);
      held.set(key(scope), { scope, account, parent, waiting: [] });
      const amount = {
        input_tokens: limits.token_limit,
        output_tokens: 0,
        usd: limits.usd_limit ?? 0,
        turns: limits.turn_limit,
      };
      const noted = note(recorder, { scope, action: "allocate", account, amount });
      return noted.ok ? ok(budgetStatusOf(account)) : noted;
    },

    async reserve(scope, ask, { recorder, signal }) {
      const found = find(scope);
      if (!found.ok) return found;
      for (;;) {
        const decision = decideReservation(found.value.account, ask);
        if (decision.kind === "granted") {
          const turns = ask.repeats ? 0 : 1;
          const wanted = {
            input_tokens: ask.input_tokens,
            output_tokens: decision.output_tokens,
            usd: decision.usd,
          };
          const noted = note(recorder, {
            scope,
            action: "reserve",
            account: withReservation(found.value.account, wanted, turns),
            amount: { ...wanted, reservation_id: ask.id ?? ids.sortable("RSV"), turns },
          });
          if (!noted.ok) return noted;
          // The recorded reservation counts: in a resumed session it may be the one from before the stop.
          const { reservation_id = "", input_tokens, output_tokens, usd } = noted.value.payload;
          const reservation = { id: reservation_id, scope, input_tokens, output_tokens, usd };
          found.value.account = withReservation(found.value.account, reservation, turns);
          const rate = options.pacesFreeCalls === false && isFree(ask.price) ? undefined : options.rate;
          const paced = (await rate?.admit(ask.input_tokens + decision.output_tokens, signal)) ?? ok(undefined);
          if (paced.ok) return ok(reservation);
          const unspent = await this.settle(reservation, noSpending, { recorder });
          if (!unspent.ok) return unspent;
          return paced;
        }
        if (decision.kind === "refused" || signal?.aborted) return err(decision.because);
        await new Promise<void>((resolve) => {
          const go = () => {
            signal?.removeEventListener("abort", go);
            resolve();
          };
          found.value.waiting.push(go);
          signal?.addEventListener("abort", go, { once: true });
        });
      }
    },

    async settle(reservation, spending, { recorder }) {
      const found = find(reservation.scope);
      if (!found.ok) return found;
      found.value.account = withSettlement(found.value.account, reservation, spending);
      wake(found.value);
      const amount = {
        reservation_id: reservation.id,
        input_tokens: spending.input_tokens,
        output_tokens: spending.output_tokens,
        usd: spending.usd,
        turns: 0,
        ...(spending.estimated ? { estimated: true } : {}),
      };
      const noted = note(recorder, {
        scope: reservation.scope,
        action: "settle",
        account: found.value.account,
        amount,
      });
      return noted.ok ? ok(budgetStatusOf(found.value.account)) : noted;
    },

    adopt(reservation, { repeats = false } = {}) {
      const found = find(reservation.scope);
      if (!found.ok) return found;
      found.value.account = withReservation(found.value.account, reservation, repeats ? 0 : 1);
      return ok(undefined);
    },

    spentByChild(parent, spent) {
      const found = find(parent);
      if (!found.ok) return found;
      found.value.account = withSpentByChild(found.value.account, spent);
      return ok(undefined);
    },

    async suspend(scope) {
      const found = find(scope);
      if (!found.ok) return found;
      held.delete(key(scope));
      const { parent, account } = found.value;
      if (parent === undefined) return pool.settle(scope, usedOf(account));
      // Tokens and money that are neither spent nor in flight return to the parent and are settled with it.
      const giver = held.get(key(parent));
      if (giver) giver.account = returnFromChild(giver.account, account);
      return ok(undefined);
    },

    async status(scope) {
      const found = find(scope);
      return found.ok ? ok(budgetStatusOf(found.value.account)) : found;
    },

    summary(session_id) {
      const orders: Record<string, BudgetStatus> = {};
      for (const { scope, account } of held.values())
        if (scope.session_id === session_id) orders[scope.work_order_id] = budgetStatusOf(account);
      return summaryOf(orders);
    },

    async release(scope, { recorder }) {
      const found = find(scope);
      if (!found.ok) return found;
      const { account, parent } = found.value;
      held.delete(key(scope));
      const giver = parent === undefined ? undefined : held.get(key(parent));
      if (giver) {
        giver.account = returnFromChild(giver.account, account);
        wake(giver);
      }
      const settled = parent === undefined ? await pool.settle(scope, usedOf(account)) : ok(undefined);
      const noted = note(recorder, { scope, action: "release", account, amount: { ...account.spent } });
      if (!noted.ok) return noted;
      return settled.ok ? ok(budgetStatusOf(account)) : settled;
    },
  };
}

const noSpending = { input_tokens: 0, output_tokens: 0, usd: 0, estimated: false };

interface Amount {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly usd: number;
  readonly turns: number;
  readonly reservation_id?: string;
  readonly estimated?: boolean;
}

/** A change of an account, and the account after it. */
interface BudgetChange {
  readonly scope: BudgetScope;
  readonly action: "allocate" | "reserve" | "settle" | "release";
  readonly account: Account;
  readonly amount: Amount;
}

function note(recorder: Recorder, { scope, action, account, amount }: BudgetChange): Result<Event<"budget.updated">> {
  const left = leftOf(account);
  return recorder.stage({
    type: "budget.updated",
    actor: "budget",
    payload: {
      action,
      work_order_id: scope.work_order_id,
      agent_id: scope.agent_id,
      input_tokens: amount.input_tokens,
      output_tokens: amount.output_tokens,
      usd: amount.usd,
      turns: amount.turns,
      ...(amount.reservation_id === undefined ? {} : { reservation_id: amount.reservation_id }),
      ...(amount.estimated ? { estimated: true } : {}),
      left: { tokens: left.tokens, turns: left.turns, ...(Number.isFinite(left.usd) ? { usd: left.usd } : {}) },
    },
  });
}

function overSession(limits: BudgetLimits, session: BudgeterOptions["session"]): string | undefined {
  if (session && session.token_limit !== null && limits.token_limit > session.token_limit)
    return `the order asks for ${limits.token_limit} tokens, a session may spend ${session.token_limit} (session_budget.token_limit)`;
  if (session && session.usd_limit !== null && (limits.usd_limit ?? Number.POSITIVE_INFINITY) > session.usd_limit)
    return `the order asks for ${limits.usd_limit === undefined ? "money without a limit" : `$${limits.usd_limit}`}, a session may spend $${session.usd_limit} (session_budget.usd_limit)`;
  return undefined;
}

function wake(account: Held): void {
  for (const resume of account.waiting.splice(0)) resume();
}

function key(scope: BudgetScope): string {
  return `${scope.session_id}\n${scope.work_order_id}\n${scope.share ?? ""}`;
}
