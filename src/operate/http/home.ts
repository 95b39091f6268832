import type { Usage } from "#agents";
import { is, json, limits, objectOf, plainGet, type Route } from "#core/routes";
import { type Clock, isoTime, ok, type Result } from "#core/values";
import type { LogReader, SessionList } from "#log";
import type { Inbox } from "#people";
import type { WritConfig } from "#workspace";

const dayMs = 86_400_000;

const home = objectOf({
  running: is.count,
  waiting: is.count,
  failed_since_yesterday: is.count,
  spent: objectOf({ since: is.text, period: is.text, tokens: is.count, usd: is.number, ...limits }),
});

export interface HomeRouteParts {
  readonly sessions: Pick<SessionList, "read">;
  readonly inbox: Pick<Inbox, "list">;
  readonly log: Pick<LogReader, "atWork">;
  readonly usage: () => Promise<Result<Usage>>;
  readonly config: Pick<WritConfig, "workspace_budget">;
  readonly clock: Clock;
}

/** The figures of the first page, in one request. */
export const homeRoutes: readonly Route<HomeRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/home",
    tag: "server",
    summary: "What runs, what waits, what failed since yesterday, what was spent of the budget",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "Four numbers.", schema: home },
    otherAnswers: [],
    async handle({ sessions, inbox, usage, config, clock, log }) {
      const listed = await sessions.read();
      if (!listed.ok) return listed;
      const waiting = await inbox.list({ state: "open", limit: 1000 });
      if (!waiting.ok) return waiting;
      const all = listed.value.sessions;
      const atWork = await log.atWork(all.filter(({ closed }) => !closed).map(({ session_id }) => session_id));
      if (!atWork.ok) return atWork;
      const waitsFor = new Set<string>(waiting.value.flatMap(({ session_id }) => session_id ?? []));
      const yesterday = isoTime(clock.now() - dayMs);
      const used = await usage();
      if (!used.ok) return used;
      const { since, tokens, usd } = used.value;
      const { token_limit, usd_limit, period } = config.workspace_budget;
      return ok(
        json({
          running: all.filter(
            ({ closed, work_order_id, session_id }) =>
              !closed && work_order_id !== "intake" && !waitsFor.has(session_id) && atWork.value.has(session_id),
          ).length,
          waiting: waiting.value.length,
          failed_since_yesterday: all.filter((info) => info.ok === false && info.last_at >= yesterday).length,
          spent: { since, period, tokens, usd, token_limit, usd_limit },
        }),
      );
    },
  },
];
