import { isoTime, ok } from "#base";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { objectOf } from "./health.ts";

const dayMs = 86_400_000;
const mostCounted = 1_000;

/** What a person wants to know first, in one request. */
export function homeRoutes({ sessions, cards, runtime, clock }: Services): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/api/v1/home",
      tag: "server",
      summary: "What runs, what waits, what failed since yesterday, what today cost",
      right: "read",
      answer: { status: 200, description: "Four numbers.", schema: objectOf({ running: { type: "integer" } }) },
      async handle() {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        const waiting = await runtime.inbox.list({ state: "open", limit: 1000 });
        if (!waiting.ok) return waiting;
        const all = listed.value.sessions;
        const yesterday = isoTime(clock.now() - dayMs);
        const today = isoTime(clock.now()).slice(0, 10);
        const ofToday = all.filter(({ started_at }) => started_at >= today).slice(0, mostCounted);
        const costs = await Promise.all(ofToday.map((info) => cards.of(info)));
        const { token_limit, usd_limit } = runtime.config.workspace_budget;
        return ok(
          json({
            running: all.filter(({ closed, work_order_id }) => !closed && work_order_id !== "intake").length,
            waiting: waiting.value.length,
            failed_since_yesterday: all.filter((info) => info.ok === false && info.last_at >= yesterday).length,
            spent: {
              since: today,
              tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
              usd: costs.reduce((sum, { usd }) => sum + usd, 0),
              token_limit,
              usd_limit,
            },
          }),
        );
      },
    },
  ];
}
