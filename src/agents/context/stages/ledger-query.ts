import { isSessionId, type JsonObject, ok, type Result, type SessionId, sha256 } from "#core/values";
import type { Found } from "../fragment.ts";
import { type EntryView, entryText, wordsOf } from "../ledger/entry-text.ts";
import type { LedgerAnswer, LedgerHit, LedgerQuery } from "../ledger/ledger-search.ts";
import { matchesQuery } from "../ledger/matches-query.ts";
import { answer } from "../ledger/scan-ledgers.ts";
import { scanSession } from "../ledger/scan-session.ts";
import type { RunStage, StageContext, StageOf } from "../pipeline/stage.ts";
import { parentOf } from "./parent-session.ts";

/** Entries of the ledgers. The current session and its parent are read as they stand now; all others through the index. */
export const ledgerQuery: RunStage<"ledger_query"> = async (stage, context) => {
  const over = context.meter.ask();
  if (over) return ok({ does: "add", fragments: [], found: 0, limit: over });
  const query = queryOf(stage, context);
  const asked = {
    ...(query as unknown as JsonObject),
    ...wordsAsked(stage, query),
    sessions: stage.sessions ?? "current",
  };
  const found = await ask(stage, query, context);
  if (!found.ok) return found;
  const { hits, warnings } = found.value;
  return ok({
    does: "add",
    fragments: hits.map((hit) => fragmentOf(hit, stage)),
    found: hits.length,
    asked,
    warnings,
    limit: context.meter.late(),
  });
};

function queryOf(stage: StageOf<"ledger_query">, { request, tiers }: StageContext): LedgerQuery {
  const scope = stage.sessions ?? "current";
  const words = stage.text === undefined ? undefined : wordsOf(stage.text.replaceAll("<prompt>", request.prompt));
  return {
    ledger: stage.ledger ?? "events",
    tiers: stage.tiers ?? tiers,
    order: stage.order ?? "newest",
    limit: stage.limit ?? 20,
    ...(scope === "work_order" ? { work_order_id: request.work_order_id } : {}),
    ...(scope === "framework" ? { framework_id: request.framework_id } : {}),
    ...(scope === "current" || scope === "parent" ? {} : { except_session_id: request.session_id }),
    ...(stage.entry_types ? { types: stage.entry_types } : {}),
    ...(stage.actors ? { actors: stage.actors } : {}),
    ...(stage.agent === undefined ? {} : { agent_id: stage.agent.replaceAll("<agent_id>", request.agent_id) }),
    ...(stage.since === undefined ? {} : { since: stage.since }),
    ...(stage.until === undefined ? {} : { until: stage.until }),
    ...(stage.where ? { where: stage.where } : {}),
    ...(words ? { words } : {}),
  };
}

/** The prompt is in the log already; the trace holds its hash and the number of words. */
function wordsAsked(stage: StageOf<"ledger_query">, query: LedgerQuery): JsonObject {
  if (query.words === undefined) return {};
  return { words: query.words.length, words_hash: sha256(query.words.join(" ")), text: stage.text ?? "" };
}

async function ask(
  stage: StageOf<"ledger_query">,
  query: LedgerQuery,
  { request, sources, meter }: StageContext,
): Promise<Result<LedgerAnswer>> {
  const scope = stage.sessions ?? "current";
  if (query.words?.length === 0) return ok({ hits: [], warnings: [] });
  if (scope !== "current" && scope !== "parent") return sources.ledgers.search(query, meter.signal);
  const session_id = scope === "current" ? request.session_id : await parentOf(request, sources.log);
  if (session_id === undefined || !isSessionId(session_id)) return ok({ hits: [], warnings: [] });
  return scanOne(session_id, query, { request, sources, meter });
}

async function scanOne(
  session_id: SessionId,
  query: LedgerQuery,
  { request, sources, meter }: Pick<StageContext, "request" | "sources" | "meter">,
): Promise<Result<LedgerAnswer>> {
  const hits: LedgerHit[] = [];
  for await (const entry of scanSession(sources.log, session_id, query.ledger)) {
    if (!entry.ok) return entry;
    if (meter.signal.aborted) break;
    if (!matchesQuery(entry.value, query)) continue;
    hits.push({ tier: request.tier, ledger: query.ledger, entry: entry.value });
    if (query.order === "oldest" && hits.length === query.limit) break;
    if (hits.length > query.limit * 4) hits.splice(0, hits.length - query.limit);
  }
  return ok(answer(hits, query, []));
}

/** Ledger entries hold texts of models, tools and people, so they are untrusted whichever actor recorded them. */
export function fragmentOf({ tier, ledger, entry }: LedgerHit, view: EntryView): Found {
  return {
    origin: `${ledger}:${entry.session_id}#${entry.seq}`,
    trust: "untrusted",
    text: entryText(entry, view),
    source_hash: entry.hash,
    ts: entry.ts,
    tier,
  };
}
