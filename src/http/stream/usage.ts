import { type Clock, isoTime, ok, type Result } from "#base";
import type { Runtime } from "#compose";
import type { SessionCards } from "./session-cards.ts";
import type { ListedSessions } from "./session-list.ts";

export interface Usage {
  /** The beginning of the period; empty where it has none. */
  readonly since: string;
  readonly sessions: number;
  readonly tokens: number;
  readonly usd: number;
}

/** So many of the newest sessions are counted. */
const counted = 1_000;

/** What the sessions of the workspace's budget period have cost. */
export async function usageInPeriod(
  listed: ListedSessions,
  { cards, runtime, clock }: { readonly cards: SessionCards; readonly runtime: Runtime; readonly clock: Clock },
): Promise<Result<Usage>> {
  const since = beginOf(runtime.config.workspace_budget.period, clock.now());
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
