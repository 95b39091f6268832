import { ownHeadings } from "./conclude.ts";
import { placeOf, requestSection, type SectionPlan, type Surroundings } from "./section-work.ts";
import type { WriterState } from "./state.ts";

export interface SectionOrders {
  readonly title: string | null;
  readonly round: number;
  readonly plans: readonly SectionPlan[];
}

/** Inserts a placeholder for each planned section and requests its research. */
export function orderSections(state: WriterState, { title, round, plans }: SectionOrders): void {
  const { manuscript, input, requests } = state;
  const about = surroundingsOf(state, plans);
  for (const plan of plans) {
    const heading = plan.heading.trim();
    const path = title === null ? [heading] : [title, heading];
    if (manuscript.section(path)) continue; // the section exists already
    const body = `_In preparation: ${plan.question.replaceAll(/\s+/g, " ").trim()}_`;
    manuscript.write({ op: "section.insert", heading, body, ...(title === null ? {} : { under: [title] }) });
    const place = placeOf(manuscript, { path, heading });
    if (!place) continue;
    requests.push(
      requestSection({
        round,
        attempt: 1,
        plan: { ...plan, heading },
        about,
        path: place.path,
        expectedHash: place.hash,
        baseRevisionId: input.head_revision_id,
      }),
    );
  }
}

/** The document as its researchers know it: what stands, and what is planned beside it. */
export function surroundingsOf(
  { manuscript, input }: Pick<WriterState, "manuscript" | "input">,
  plans: readonly SectionPlan[] = [],
): Surroundings {
  const outline = new Set([...manuscript.headings(), ...plans.map(({ heading }) => heading.trim())]);
  return {
    objective: input.objective,
    title: manuscript.title ?? "",
    outline: [...outline].filter((heading) => !ownHeadings.includes(heading)),
  };
}
