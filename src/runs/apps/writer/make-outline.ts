import type { OutlineV1, WorkItemV1 } from "#core/contracts";
import { isJsonObject, type JsonObject } from "#core/values";
import { readResults } from "../read-results.ts";
import { unwrap } from "../unwrap.ts";
import { ownHeadings } from "./conclude.ts";
import { waitingText } from "./open-document.ts";
import { orderSections } from "./order-sections.ts";
import type { WriterState } from "./state.ts";
import { titleOf } from "./title-of.ts";

/** The model plans the document from the survey; each section gets a place in the document and a work item. */
export async function makeOutline(state: WriterState, survey: WorkItemV1): Promise<void> {
  const { input, context, manuscript } = state;
  const note = await surveyNote(state, survey);
  const thought = unwrap(
    await context.think({
      key: "outline",
      contract: "PRC-OUTLINE-001",
      input: { objective: input.objective, note, document: manuscript.text },
      output_schema: "outline_v1",
    }),
  );
  state.thought = thought;
  const outline = thought.answer as unknown as OutlineV1; // think() has checked it against its contract
  const [working, title] = [titleOf(input.objective), outline.title.trim()];
  // Two text edits instead of a section replacement: people may have written under the title or changed it.
  manuscript.write({
    op: "text.edit",
    section: [working],
    find: waitingText,
    replace: outline.opening.trim() || title,
  });
  if (title !== working)
    manuscript.write({ op: "text.edit", section: [working], find: `# ${working}`, replace: `# ${title}` });
  orderSections(state, {
    title: manuscript.section([title]) ? title : null,
    round: 1,
    plans: plansOf(outline),
  });
}

async function surveyNote({ context }: WriterState, survey: WorkItemV1): Promise<JsonObject> {
  const { completed, failed } = await readResults(context);
  const result = completed.get(survey.work_id);
  if (result && isJsonObject(result["note"])) return { ...result["note"], citations: result["citations"] ?? [] };
  return { summary: failed.get(survey.work_id) ?? "Nothing was found.", findings: [], citations: [] };
}

/** Leaves out the sections that the writer adds itself, repeated headings, and the title. */
function plansOf(outline: OutlineV1): OutlineV1["sections"] {
  const seen = new Set<string>(ownHeadings.map((heading) => heading.toLowerCase()));
  return outline.sections.flatMap((plan) => {
    const isTitle = plan.heading.trim().toLowerCase() === outline.title.trim().toLowerCase();
    const heading = isTitle ? `${plan.heading.trim()} in detail` : plan.heading.trim();
    if (seen.has(heading.toLowerCase())) return [];
    seen.add(heading.toLowerCase());
    return [{ ...plan, heading }];
  });
}
