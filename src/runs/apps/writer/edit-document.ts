import type { EditorialV1 } from "#core/contracts";
import { sha256 } from "#core/values";
import { readResults } from "../read-results.ts";
import { unwrap } from "../unwrap.ts";
import { citationsOf } from "./citations.ts";
import { conclude, ownHeadings } from "./conclude.ts";
import { orderSections } from "./order-sections.ts";
import { placeOf, type SectionWork } from "./section-work.ts";
import type { WriterState } from "./state.ts";

/** How often the editor may request further sections. */
const mostRounds = 2;
const shownCharacters = 60_000;

/**
 * All work is done: the model reviews the whole document as an editor and requests sections, accepts it, or rejects it. It is
 * called once per document version, so an unchanged document is not reviewed again.
 */
export async function editDocument(state: WriterState): Promise<void> {
  const { manuscript, input, context, sections } = state;
  const results = await readResults(context);
  const failed = markGaps(state, results.failed);
  const round = Math.max(1, ...sections.map((work) => work.round));
  const mayAsk = round < mostRounds;
  const document = manuscript.text;
  const thought = unwrap(
    await context.think({
      key: `editorial@${sha256(document).slice(0, 32)}`,
      contract: "PRC-EDITORIAL-001",
      input: { objective: input.objective, document: document.slice(0, shownCharacters), failed, may_request: mayAsk },
      output_schema: "editorial_v1",
    }),
  );
  state.thought = thought;
  const editorial = thought.answer as unknown as EditorialV1; // think() has checked it against its contract
  const known = new Set([...manuscript.headings(), ...ownHeadings].map((heading) => heading.toLowerCase()));
  const missing = editorial.requests.filter(({ heading }) => !known.has(heading.trim().toLowerCase()));
  if (mayAsk && missing.length > 0) {
    orderSections(state, { title: null, round: round + 1, plans: missing });
    return;
  }
  const gaps = missingSections(state);
  conclude(manuscript, {
    editorial: { ...editorial, satisfied: editorial.satisfied && gaps.length === 0 },
    citations: citationsOf(standing(state), results.completed),
    touched: touchedByPeople(state),
  });
  state.close = { type: "close_run", ...endOf(editorial, gaps), unless_news: true };
}

/** A document with gaps is not complete, however content its editor is. */
function endOf(
  { satisfied, reason }: EditorialV1,
  gaps: readonly string[],
): { readonly reason: "completed" | "blocked"; readonly message: string } {
  if (gaps.length === 0) return { reason: satisfied ? "completed" : "blocked", message: reason };
  const named = gaps.map((heading) => `"${heading}"`).join(", ");
  return { reason: "blocked", message: `${gaps.length} of its sections could not be written: ${named}. ${reason}` };
}

/** The sections that say that they could not be written; a person who filled or deleted one has settled it. */
function missingSections({ manuscript, sections }: WriterState): readonly string[] {
  const missing = sections.filter((work) => placeOf(manuscript, work)?.body.trimStart().startsWith(couldNotBe));
  return [...new Set(missing.map(({ heading }) => heading))];
}

const couldNotBe = "_This could not be written:";

/** Writes into each section whose research failed that it could not be written, and why. */
function markGaps(
  { manuscript, sections }: WriterState,
  reasons: ReadonlyMap<string, string>,
): { heading: string; reason: string }[] {
  return sections.flatMap((work) => {
    const place = placeOf(manuscript, work);
    if (!place || place.hash !== work.placeholder) return [];
    const reason = reasons.get(work.item.work_id) ?? "the sources say nothing about it";
    const body = `${couldNotBe} ${reason}_`;
    manuscript.write({ op: "section.replace", section: [...place.path], body });
    return [{ heading: work.heading, reason }];
  });
}

/** The sections whose latest research is in the document. */
function standing({ sections, manuscript }: WriterState): readonly SectionWork[] {
  const present = new Set(manuscript.headings());
  const newest = new Map<string, SectionWork>();
  for (const work of sections) if (present.has(work.heading)) newest.set(`${work.round} ${work.heading}`, work);
  return [...newest.values()];
}

/** The sections that people changed since the last turn. */
function touchedByPeople({ patches, manuscript }: WriterState): ReadonlySet<string> {
  const applied = new Set(manuscript.applied);
  const theirs = patches.filter((patch) => patch.author_kind === "user" && applied.has(patch.patch_id));
  return new Set(
    theirs.flatMap(({ ops }) =>
      ops.flatMap((operation) => {
        if (operation.op === "section.insert") return [operation.heading];
        return "section" in operation && operation.section ? operation.section.slice(-1) : [];
      }),
    ),
  );
}
