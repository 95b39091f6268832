import { isJsonObject, ok, type Result } from "#core/values";
import type { Envelope, LogReader, SessionInfo } from "#log";
import type { LedgerAnswer, LedgerHit, LedgerQuery, LedgerSearch } from "./ledger-search.ts";
import { matchesQuery } from "./matches-query.ts";
import { scanSession } from "./scan-session.ts";

/** Reads every closed session anew: slow, and right by construction. The index is measured against it. */
export function scanLedgers(log: Pick<LogReader, "read" | "readLedger" | "list">): LedgerSearch {
  return {
    async search(query, signal) {
      const hits: LedgerHit[] = [];
      const warnings: string[] = [];
      for await (const info of log.list()) {
        if (signal.aborted) break;
        if (!info.ok) {
          warnings.push(info.error.message);
          continue;
        }
        const found = await searchSession(log, info.value, query);
        if (found.ok) hits.push(...found.value);
        else warnings.push(found.error.message);
      }
      return ok(answer(hits, query, warnings));
    },
  };
}

async function searchSession(
  log: Pick<LogReader, "read" | "readLedger">,
  info: SessionInfo,
  query: LedgerQuery,
): Promise<Result<readonly LedgerHit[]>> {
  if (!info.closed || !query.tiers.includes(info.tier) || info.session_id === query.except_session_id) return ok([]);
  if (query.session_id !== undefined && query.session_id !== info.session_id) return ok([]);
  if (query.work_order_id !== undefined && query.work_order_id !== info.work_order_id) return ok([]);
  if (query.framework_id !== undefined) {
    for await (const first of log.read(info.session_id)) {
      if (!first.ok) return first;
      if (frameworkOf(first.value as unknown as Envelope) !== query.framework_id) return ok([]);
      break;
    }
  }
  const hits: LedgerHit[] = [];
  for await (const entry of scanSession(log, info.session_id, query.ledger)) {
    if (!entry.ok) return entry;
    if (matchesQuery(entry.value, query)) hits.push({ tier: info.tier, ledger: query.ledger, entry: entry.value });
  }
  return ok(hits);
}

/** Under which framework a session runs, by its first event. */
export function frameworkOf(start: Pick<Envelope, "type" | "payload">): string | undefined {
  const framework = start.type === "session.start" && isJsonObject(start.payload) ? start.payload["framework_id"] : "";
  return typeof framework === "string" && framework !== "" ? framework : undefined;
}

/** By time, then session and place in it: the same hits always come in the same order. */
export function answer(hits: readonly LedgerHit[], query: LedgerQuery, warnings: readonly string[]): LedgerAnswer {
  const sign = query.order === "newest" ? -1 : 1;
  const sorted = hits.toSorted((a, b) => sign * compareHits(a, b));
  return { hits: sorted.slice(0, query.limit), warnings };
}

function compareHits({ entry: a }: LedgerHit, { entry: b }: LedgerHit): number {
  if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
  if (a.session_id !== b.session_id) return a.session_id < b.session_id ? -1 : 1;
  return a.seq - b.seq;
}
