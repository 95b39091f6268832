import type { JsonObject } from "#core/values";
import type { SessionInfo } from "#log";
import { type CataloguedSession, shownOf } from "../catalogued-session.ts";
import type { CatalogQuery, CatalogRow } from "./catalog-store.ts";

/** The columns in both dialects, large texts last: a scan does not read what it does not ask for. */
export const columns = [
  "session_id",
  "head_hash",
  "kind",
  "outcome",
  "closed",
  "started_at",
  "caller",
  "cycle_id",
  "micro_usd",
  "tokens",
  "took_ms",
  "events",
  "refused_acts",
  "skills",
  "tools",
  "info",
  "shown",
  "allowed",
  "saw",
  "wrote",
  "shadows",
  "words",
] as const;

type Column = string | number | null;

export function rowOf(session: CataloguedSession): readonly Column[] {
  const { info, kind, outcome, shown, tools } = session;
  return [
    info.session_id,
    shown === null ? "" : info.head_hash,
    kind,
    outcome,
    info.closed ? 1 : 0,
    info.started_at,
    shown?.caller ?? null,
    shown?.cycle_id ?? null,
    Math.round((shown?.usd ?? 0) * 1e6),
    shown?.tokens ?? 0,
    Math.max(0, Date.parse(info.last_at) - Date.parse(info.started_at)),
    info.events,
    info.refused_acts ?? 0,
    lines(shown?.skills ?? []),
    lines(tools),
    JSON.stringify(info),
    shown && JSON.stringify(shown),
    session.allowed.toLowerCase(),
    session.saw.toLowerCase(),
    session.wrote.toLowerCase(),
    session.shadows,
    session.words,
  ];
}

/** Each item stands between two ends of line, so that a whole one is found and not a part of one. */
function lines(items: readonly string[]): string {
  return items.length === 0 ? "" : `\n${items.join("\n")}\n`;
}

export function shownRow(info: unknown, shown: unknown): CatalogRow {
  return {
    info: JSON.parse(String(info)) as SessionInfo & JsonObject,
    shown: shownOf(typeof shown === "string" ? shown : null),
  };
}

/** The values of a query, in the order of its parameters after the tenant's. */
export function valuesOf(query: CatalogQuery): readonly Column[] {
  const whole = (name: string | null) => (name === null ? null : `\n${name}\n`);
  const part = (text: string | null) => text?.toLowerCase() ?? null;
  return [
    query.kind,
    query.state,
    query.caller,
    whole(query.skill),
    whole(query.tool),
    query.cycle,
    part(query.wrote),
    part(query.saw),
    part(query.allowed_by),
    query.cost_above === null ? null : Math.round(query.cost_above * 1e6),
    query.refused === true ? 1 : null,
    query.since,
    query.until,
    JSON.stringify(query.words),
  ];
}
