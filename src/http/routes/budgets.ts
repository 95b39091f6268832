import { ok } from "#base";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { objectOf } from "./health.ts";

/** What may be spent, and what was. */
export function budgetRoutes(services: Services): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/api/v1/budgets",
      tag: "budgets",
      summary: "The limits of the workspace and of an order, and what the sessions of the period spent",
      right: "read",
      answer: { status: 200, description: "Both.", schema: objectOf({ workspace: { type: "object" } }) },
      async handle() {
        const spent = await services.spent();
        if (!spent.ok) return spent;
        const { since, sessions, tokens, usd } = spent.value;
        const { workspace_budget, session_budget, budget, prices } = services.runtime.config;
        const workspace = { ...workspace_budget, since, sessions, spent: { tokens, usd } };
        return ok(json({ workspace, session: session_budget, order: budget, prices }));
      },
    },
  ];
}
