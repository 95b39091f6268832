import type { Desk } from "./desk.ts";
import { requestSection, type SectionPlan } from "./section-work.ts";

export interface SectionOrders {
  readonly title: string | null;
  readonly round: number;
  readonly plans: readonly SectionPlan[];
}

/** Gives each planned section a place in the document and asks for its research. */
export function orderSections(desk: Desk, { title, round, plans }: SectionOrders): void {
  const { manuscript, input, requests } = desk;
  for (const plan of plans) {
    const heading = plan.heading.trim();
    const body = `_In preparation: ${plan.question.replaceAll(/\s+/g, " ").trim()}_`;
    const isNew = manuscript.section([heading]) === null;
    if (
      isNew &&
      !manuscript.write({ op: "section.insert", heading, body, ...(title === null ? {} : { under: [title] }) })
    )
      continue;
    const place = manuscript.section([heading]);
    if (!place) continue;
    requests.push(
      requestSection({
        round,
        attempt: 1,
        plan: { ...plan, heading },
        title,
        expectedHash: place.hash,
        baseRevisionId: input.head_revision_id,
      }),
    );
  }
}
