import { isJsonObject } from "#core/values";
import type { Envelope } from "#log";
import { searchableText, valueAt, wordsOf } from "./entry-text.ts";
import type { LedgerQuery } from "./ledger-search.ts";

/** Whether one entry is what a query asks for; session and tier are the caller's to check. */
export function matchesQuery(entry: Envelope, query: LedgerQuery): boolean {
  if (query.types && !query.types.includes(entry.type)) return false;
  if (query.actors && !query.actors.includes(entry.actor)) return false;
  if (query.since !== undefined && entry.ts < query.since) return false;
  if (query.until !== undefined && entry.ts > query.until) return false;
  if (query.agent_id !== undefined && agentOf(entry) !== query.agent_id) return false;
  for (const [path, wanted] of Object.entries(query.where ?? {})) if (valueAt(entry, path) !== wanted) return false;
  if (query.words === undefined) return true;
  const words = new Set(wordsOf(searchableText(entry)));
  return query.words.some((word) => words.has(word));
}

export function agentOf(entry: Pick<Envelope, "payload">): string | undefined {
  const provenance = entry.payload["provenance"];
  const agent = entry.payload["agent_id"] ?? (isJsonObject(provenance) ? provenance["agent_id"] : undefined);
  return typeof agent === "string" ? agent : undefined;
}
