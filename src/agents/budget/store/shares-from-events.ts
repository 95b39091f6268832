import { type Event, isEvent, isFlow, type RecordedSession } from "#log";
import type { WritConfig } from "#workspace";
import { poolAt } from "../workspace-pool.ts";
import type { SpentShare } from "./share-store.ts";

type Change = Event<"budget.updated">;
interface Usage {
  readonly tokens: number;
  readonly usd: number;
}
interface Spender {
  readonly work_order_id: string;
  readonly parent: string | null;
  readonly since: number;
  /** Recorded usage of an ended order, its children included; undefined while it has not ended. */
  readonly used: Usage | undefined;
  readonly own: Usage;
}

/**
 * Spending from the workspace's pool, in the period that the configuration names now. Spending before the limit was set
 * counts too: the events do not record when it was set.
 */
export class SharesFromEvents {
  readonly #budget: WritConfig["workspace_budget"];
  readonly #spenders = new Map<string, Spender>();

  constructor(budget: WritConfig["workspace_budget"]) {
    this.#budget = budget;
  }

  read(session: RecordedSession): void {
    if (!isFlow(session)) return;
    const { work_order_id, parent_kind, parent_session_id } = session.start;
    const changes = session.events.filter(
      (event): event is Change => isEvent(event, "budget.updated") && event.payload.work_order_id === work_order_id,
    );
    const [first] = changes;
    if (first?.payload.action !== "allocate") return;
    this.#spenders.set(session.session_id, {
      work_order_id,
      parent: parent_kind === "child" ? (parent_session_id ?? null) : null,
      since: Date.parse(first.ts),
      used: usedUntilItsEnd(first, changes),
      own: settledAndInFlight(changes),
    });
  }

  rebuilt(): readonly SpentShare[] {
    const { token_limit, usd_limit, period } = this.#budget;
    if (token_limit === null && usd_limit === null) return [];
    const children = new Map<string, string[]>();
    for (const [session_id, { parent }] of this.#spenders)
      if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), session_id]);
    const spentBy = (session_id: string): Usage => {
      const spender = this.#spenders.get(session_id);
      if (!spender) return { tokens: 0, usd: 0 };
      return spender.used ?? (children.get(session_id) ?? []).map(spentBy).reduce(sum, spender.own);
    };
    return [...this.#spenders]
      .filter(([, { parent }]) => parent === null)
      .map(([session_id, { work_order_id, since }]) => ({
        pool_id: poolAt(period, since),
        session_id,
        work_order_id,
        ...spentBy(session_id),
      }));
  }
}

/** Personas have shares of their own within the order's; the order has ended when all of them were returned. */
function usedUntilItsEnd(first: Change, changes: readonly Change[]): Usage | undefined {
  const count = (action: string) => changes.filter(({ payload }) => payload.action === action).length;
  const last = changes.findLast(({ payload }) => payload.action === "release")?.payload;
  if (!last || count("allocate") !== count("release")) return undefined;
  const { input_tokens: limit, usd: usdLimit } = first.payload;
  return {
    tokens: Math.max(0, limit - last.left.tokens),
    usd: last.left.usd === undefined ? last.usd : Math.max(0, usdLimit - last.left.usd),
  };
}

/** The cost of a call that was in flight is unknown, so its reservation counts in full. */
function settledAndInFlight(changes: readonly Change[]): Usage {
  const byCall = new Map<string, Usage>();
  for (const { payload } of changes) {
    const { action, reservation_id = "", input_tokens, output_tokens, usd } = payload;
    if (action === "reserve" || action === "settle")
      byCall.set(reservation_id, { tokens: input_tokens + output_tokens, usd });
  }
  return [...byCall.values()].reduce(sum, { tokens: 0, usd: 0 });
}

function sum(a: Usage, b: Usage): Usage {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}
