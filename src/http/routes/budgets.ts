import { isoTime, ok, type SessionId } from "#base";
import { replay } from "#events";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { objectOf } from "./health.ts";

interface Cost {
  readonly tokens: number;
  readonly usd: number;
}

/** So many of the newest sessions are counted. */
const counted = 1_000;

/** What may be spent, and what was. */
export function budgetRoutes(services: Services): readonly Route[] {
  const { runtime, sessions, clock } = services;
  const costs = new Map<SessionId, Cost>(); // of closed sessions: they cost no more
  const costOf = async (session_id: SessionId, isClosed: boolean): Promise<Cost> => {
    const known = costs.get(session_id);
    if (known) return known;
    const snapshot = await replay(session_id, { reader: runtime.log, schemas: runtime.schemas, verify: false });
    if (!snapshot.ok) return { tokens: 0, usd: 0 };
    const { input, output, usd } = snapshot.value.cost;
    const cost = { tokens: input + output, usd };
    if (isClosed) costs.set(session_id, cost);
    return cost;
  };
  return [
    {
      method: "GET",
      path: "/api/v1/budgets",
      tag: "budgets",
      summary: "The limits of the workspace and of an order, and what the sessions of the period spent",
      right: "read",
      answer: { status: 200, description: "Both.", schema: objectOf({ workspace: { type: "object" } }) },
      async handle() {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        const { workspace_budget, session_budget, budget, prices } = runtime.config;
        const since = beginOf(workspace_budget.period, clock.now());
        const wanted = listed.value.sessions.filter(({ started_at }) => started_at >= since).slice(0, counted);
        let spent: Cost = { tokens: 0, usd: 0 };
        for (const { session_id, closed } of wanted) {
          const cost = await costOf(session_id, closed);
          spent = { tokens: spent.tokens + cost.tokens, usd: spent.usd + cost.usd };
        }
        const workspace = { ...workspace_budget, since, sessions: wanted.length, spent };
        return ok(json({ workspace, session: session_budget, order: budget, prices }));
      },
    },
  ];
}

function beginOf(period: "ever" | "month" | "day", now: number): string {
  if (period === "ever") return "";
  return isoTime(now).slice(0, period === "month" ? 7 : 10);
}
