import { ok } from "#base";
import { is, limits, objectOf } from "../answer-shapes.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";

const budgets = objectOf({
  workspace: objectOf({
    ...limits,
    period: is.text,
    since: { type: "string", description: "The beginning of the period; empty where it has none." },
    sessions: is.count,
    spent: objectOf({ tokens: is.count, usd: is.number }),
  }),
  session: objectOf(limits),
  order: objectOf({ ...limits, turn_limit: is.count, timeout_seconds: is.number }),
  prices: { type: "object", description: "As `prices` of writ.yaml has them." },
});

/** What may be spent, and what was. */
export function budgetRoutes(services: Services): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/api/v1/budgets",
      tag: "budgets",
      summary: "The limits of the workspace and of an order, and what the sessions of the period spent",
      right: "read",
      answer: { status: 200, description: "All of it.", schema: budgets },
      async handle() {
        const usage = await services.usage();
        if (!usage.ok) return usage;
        const { since, sessions, tokens, usd } = usage.value;
        const { workspace_budget, session_budget, budget, prices } = services.runtime.config;
        const workspace = { ...workspace_budget, since, sessions, spent: { tokens, usd } };
        return ok(json({ workspace, session: session_budget, order: budget, prices }));
      },
    },
  ];
}
