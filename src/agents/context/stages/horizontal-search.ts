import { type DomainError } from "#core/errors";
import { ok, type Result, sha256 } from "#core/values";
import type { Found } from "../fragment.ts";
import { wordsOf } from "../ledger/entry-text.ts";
import type { RunStage, StageContext, StageOf } from "../pipeline/stage.ts";
import { fragmentOf } from "./ledger-query.ts";
import { passagesOf } from "./passages.ts";
import { rank } from "./rank.ts";
import { readRegistry, rowKey, rowText } from "./read-registry.ts";
import { isGlob, matchingFiles, readableFile } from "./readable-file.ts";

interface Candidates {
  readonly found: Found[];
  readonly warnings: string[];
  limit: DomainError | undefined;
}

type Search = StageOf<"horizontal_search">;

/** Across ledgers, registries and files at once: whatever answers the query best, wherever it lies. */
export const horizontalSearch: RunStage<"horizontal_search"> = async (stage, context) => {
  const query = stage.query?.replaceAll("<prompt>", context.request.prompt) ?? context.request.prompt;
  const sources = stage.sources ?? ["events"];
  const asked = { sources, query_hash: sha256(query), words: wordsOf(query).length, paths: stage.paths ?? [] };
  const candidates: Candidates = { found: [], warnings: [], limit: undefined };
  for (const source of sources) {
    if (candidates.limit) break;
    const gathered =
      source === "files"
        ? await gatherFiles(stage, context, candidates)
        : source === "registries"
          ? await gatherRegistries(context, candidates)
          : await gatherLedger(stage, { ledger: source, query }, context, candidates);
    if (!gathered.ok) return gathered;
  }
  const ranked = rank(candidates.found, query, stage.min_score ?? 0);
  const kept = ranked.slice(0, stage.limit ?? 10);
  return ok({
    does: "add",
    fragments: kept.map(({ item, score }) => ({ ...item, score })),
    found: candidates.found.length,
    dropped: {
      ...(ranked.length < candidates.found.length ? { irrelevant: candidates.found.length - ranked.length } : {}),
      ...(kept.length < ranked.length ? { limit: ranked.length - kept.length } : {}),
    },
    asked,
    warnings: candidates.warnings,
    limit: candidates.limit ?? context.meter.late(),
  });
};

/** What is looked for in which ledger. */
interface LedgerQuestion {
  readonly ledger: "events" | "exec";
  readonly query: string;
}

async function gatherLedger(
  stage: Search,
  { ledger, query }: LedgerQuestion,
  { request, sources, meter, tiers }: StageContext,
  into: Candidates,
): Promise<Result<void>> {
  const words = wordsOf(query);
  if (words.length === 0) return ok(undefined);
  into.limit = meter.ask();
  if (into.limit) return ok(undefined);
  const scope = stage.sessions ?? "framework";
  const answered = await sources.ledgers.search(
    {
      ledger,
      tiers: stage.tiers ?? tiers,
      words,
      ...(stage.entry_types ? { types: stage.entry_types } : {}),
      order: "newest",
      limit: sources.reading.ledgerCandidates,
      except_session_id: request.session_id,
      ...(scope === "work_order" ? { work_order_id: request.work_order_id } : {}),
      ...(scope === "framework" ? { framework_id: request.framework_id } : {}),
    },
    meter.signal,
  );
  if (!answered.ok) return answered;
  into.found.push(...answered.value.hits.map((hit) => fragmentOf(hit, stage)));
  into.warnings.push(...answered.value.warnings);
  return ok(undefined);
}

async function gatherRegistries(context: StageContext, into: Candidates): Promise<Result<void>> {
  const names = new Set<string>();
  for (const root of context.sources.registryRoots) {
    const listed = await context.sources.files.list(`${root}/registries`);
    if (!listed.ok) return listed;
    for (const { name, type } of listed.value)
      if (type === "file" && name.endsWith(".csv")) names.add(name.slice(0, -4));
  }
  for (const name of names) {
    into.limit = context.meter.ask();
    if (into.limit) return ok(undefined);
    const registry = await readRegistry(name, context);
    if (!registry.ok) return registry;
    if ("withheld" in registry.value) {
      into.warnings.push(registry.value.withheld);
      continue;
    }
    for (const [index, row] of registry.value.rows.entries())
      into.found.push({
        origin: `registry:${name}#${rowKey(row, index)}`,
        trust: "trusted",
        text: rowText(row),
        source_hash: registry.value.hash,
      });
  }
  return ok(undefined);
}

async function gatherFiles(stage: Search, context: StageContext, into: Candidates): Promise<Result<void>> {
  const { sources, meter } = context;
  const { reading } = sources;
  for (const glob of stage.paths ?? []) {
    into.limit = meter.ask();
    if (into.limit) return ok(undefined);
    const matching = isGlob(glob)
      ? await matchingFiles(context, glob, meter.signal)
      : ok({ paths: [glob], truncated: false, warnings: [] });
    if (!matching.ok) return matching;
    into.warnings.push(...matching.value.warnings);
    const { paths, truncated } = matching.value;
    if (truncated || paths.length > reading.searchedFiles)
      into.warnings.push(`${glob}: only the first files were searched`);
    for (const path of paths.slice(0, reading.searchedFiles)) {
      if (meter.signal.aborted) return ok(undefined);
      const file = await readableFile(context, path, reading.fileBytes);
      if (!file.ok) into.warnings.push(file.error.message);
      else if (file.value && "withheld" in file.value) into.warnings.push(file.value.withheld);
      else if (file.value)
        into.found.push(...passagesAsFound({ ...file.value, text: context.sources.redactLines(file.value.text) }));
    }
  }
  return ok(undefined);
}

function passagesAsFound(file: { readonly path: string; readonly text: string; readonly hash: string }): Found[] {
  return passagesOf(file.text).map(({ text, from, to }) => ({
    origin: `file:${file.path}#L${from}-${to}`,
    trust: "untrusted",
    text,
    source_hash: file.hash,
  }));
}
