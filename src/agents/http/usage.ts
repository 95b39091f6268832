import { type Clock, isoTime, ok, type Result } from "#core/values";
import type { ListedSessions, SessionCards } from "#log";
import type { WritConfig } from "#workspace";

export interface Usage {
  /** The beginning of the period; empty where it has none. */
  readonly since: string;
  readonly sessions: number;
  readonly tokens: number;
  readonly usd: number;
}

export interface UsageSources {
  readonly cards: Pick<SessionCards, "of">;
  readonly config: Pick<WritConfig, "workspace_budget">;
  readonly clock: Clock;
}

/** At most this many of the newest sessions are counted. */
const counted = 1_000;

/** What the sessions of the workspace's budget period have cost. */
export async function usageInPeriod(
  listed: ListedSessions,
  { cards, config, clock }: UsageSources,
): Promise<Result<Usage>> {
  const since = beginOf(config.workspace_budget.period, clock.now());
  const wanted = listed.sessions.filter(({ started_at }) => started_at >= since).slice(0, counted);
  const costs = await Promise.all(wanted.map((info) => cards.of(info)));
  return ok({
    since,
    sessions: wanted.length,
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
  });
}

function beginOf(period: "ever" | "month" | "day", now: number): string {
  if (period === "ever") return "";
  return isoTime(now).slice(0, period === "month" ? 7 : 10);
}
