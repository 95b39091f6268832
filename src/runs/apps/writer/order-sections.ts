import { placeOf, requestSection, type SectionPlan } from "./section-work.ts";
import type { WriterState } from "./state.ts";

export interface SectionOrders {
  readonly title: string | null;
  readonly round: number;
  readonly plans: readonly SectionPlan[];
}

/** Inserts a placeholder for each planned section and requests its research. */
export function orderSections(state: WriterState, { title, round, plans }: SectionOrders): void {
  const { manuscript, input, requests } = state;
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
        path: place.path,
        expectedHash: place.hash,
        baseRevisionId: input.head_revision_id,
      }),
    );
  }
}
