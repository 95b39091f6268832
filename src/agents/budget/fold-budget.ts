import type { Event } from "#log";
import { type Account, budgetStatusOf, openAccount, withReservation, withSettlement } from "./account.ts";
import type { BudgetStatus } from "./budgeter.ts";

/**
 * The budget of a work order, rebuilt from its session's events by a restarted process. A reservation that was never
 * settled was in flight when the process died; its cost is unknown, so it counts in full. Personas that spend shares within
 * the order spend the order's budget: only the first allocation opens the account.
 */
export function foldBudget(events: Iterable<Event>, work_order_id: string): BudgetStatus | undefined {
  let account: Account | undefined;
  const inFlight = new Map<
    string,
    { readonly input_tokens: number; readonly output_tokens: number; readonly usd: number }
  >();
  for (const event of events) {
    if (event.type !== "budget.updated") continue;
    const payload = event.payload;
    if (payload.work_order_id !== work_order_id) continue;
    const { action, input_tokens, output_tokens, usd, turns, reservation_id = "" } = payload;
    if (action === "allocate")
      account ??= openAccount({
        token_limit: input_tokens,
        turn_limit: turns,
        timeout_seconds: 0,
        ...(payload.left.usd === undefined ? {} : { usd_limit: usd }),
      });
    if (!account) continue;
    if (action === "reserve") {
      inFlight.set(reservation_id, { input_tokens, output_tokens, usd });
      account = withReservation(account, { input_tokens, output_tokens, usd }, turns);
    }
    const reservation = inFlight.get(reservation_id);
    if (action === "settle" && reservation) {
      inFlight.delete(reservation_id);
      account = withSettlement(account, reservation, {
        input_tokens,
        output_tokens,
        usd,
        estimated: payload.estimated === true,
      });
    }
  }
  return account && budgetStatusOf(account);
}
