import { is, json, limits, objectOf, plainGet, type Route } from "#core/routes";
import { ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import type { Usage } from "./usage.ts";

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

export interface BudgetRouteParts {
  readonly usage: () => Promise<Result<Usage>>;
  readonly config: Pick<WritConfig, "workspace_budget" | "session_budget" | "budget" | "prices">;
}

/** The limits on tokens and money, and the usage so far. */
export const budgetRoutes: readonly Route<BudgetRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/budgets",
    tag: "budgets",
    summary: "The limits of the workspace and of an order, and what the sessions of the period spent",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "All of it.", schema: budgets },
    otherAnswers: [],
    async handle({ usage, config }) {
      const used = await usage();
      if (!used.ok) return used;
      const { since, sessions, tokens, usd } = used.value;
      const { workspace_budget, session_budget, budget, prices } = config;
      const workspace = { ...workspace_budget, since, sessions, spent: { tokens, usd } };
      return ok(json({ workspace, session: session_budget, order: budget, prices }));
    },
  },
];
