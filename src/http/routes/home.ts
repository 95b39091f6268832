import { isoTime, ok } from "#base";
import { is, limits, objectOf } from "../answer-shapes.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";

const dayMs = 86_400_000;

const home = objectOf({
  running: is.count,
  waiting: is.count,
  failed_since_yesterday: is.count,
  spent: objectOf({ since: is.text, period: is.text, tokens: is.count, usd: is.number, ...limits }),
});

/** What a person wants to know first, in one request. */
export function homeRoutes(services: Services): readonly Route[] {
  const { sessions, runtime, clock } = services;
  return [
    {
      method: "GET",
      path: "/api/v1/home",
      tag: "server",
      summary: "What runs, what waits, what failed since yesterday, what was spent of the budget",
      right: "read",
      answer: { status: 200, description: "Four numbers.", schema: home },
      async handle() {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        const waiting = await runtime.inbox.list({ state: "open", limit: 1000 });
        if (!waiting.ok) return waiting;
        const all = listed.value.sessions;
        const waitsFor = new Set<string>(waiting.value.flatMap(({ session_id }) => session_id ?? []));
        const yesterday = isoTime(clock.now() - dayMs);
        const usage = await services.usage();
        if (!usage.ok) return usage;
        const { since, tokens, usd } = usage.value;
        const { token_limit, usd_limit, period } = runtime.config.workspace_budget;
        return ok(
          json({
            running: all.filter(
              ({ closed, work_order_id, session_id }) =>
                !closed && work_order_id !== "intake" && !waitsFor.has(session_id),
            ).length,
            waiting: waiting.value.length,
            failed_since_yesterday: all.filter((info) => info.ok === false && info.last_at >= yesterday).length,
            spent: { since, period, tokens, usd, token_limit, usd_limit },
          }),
        );
      },
    },
  ];
}
