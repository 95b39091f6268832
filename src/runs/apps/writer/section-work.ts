import type { AppTurnActionsV1, OutlineV1, WorkItemV1 } from "#core/contracts";
import type { Manuscript } from "../document/manuscript.ts";

export type WorkRequest = Extract<AppTurnActionsV1["actions"][number], { readonly type: "request_work" }>;
export type SectionPlan = OutlineV1["sections"][number];

/** How often a section is researched again because it changed meanwhile. */
const mostAttempts = 3;
const keyShape = /^section\/(\d+)\/(.+)\/(\d+)$/;

/** A requested section: its round, heading and attempt. */
export interface SectionWork {
  readonly round: number;
  readonly heading: string;
  /** Its path in the document: headings from the top. */
  readonly path: readonly string[];
  readonly attempt: number;
  readonly item: WorkItemV1;
  readonly plan: SectionPlan;
  /** Content of the section when it was requested. While it is the same, the section is unchanged. */
  readonly placeholder: string | null;
}

export function sectionWork(items: readonly WorkItemV1[]): readonly SectionWork[] {
  return items.flatMap((item) => {
    const [, round, heading, attempt] = keyShape.exec(item.idempotency_key ?? "") ?? [];
    if (round === undefined || heading === undefined) return [];
    const input = (item.input ?? {}) as {
      question?: string;
      notes?: string;
      sources?: string[];
      target?: { section?: string[]; expected_hash?: string };
    };
    const plan: SectionPlan = {
      heading,
      question: input.question ?? item.objective,
      ...(input.notes === undefined ? {} : { notes: input.notes }),
      ...(input.sources === undefined ? {} : { sources: input.sources }),
    };
    return [
      {
        round: Number(round),
        heading,
        path: input.target?.section ?? [heading],
        attempt: Number(attempt),
        item,
        plan,
        placeholder: input.target?.expected_hash ?? null,
      },
    ];
  });
}

/** What its researcher knows of the document that the section is a part of. */
export interface Surroundings {
  readonly objective: string;
  readonly title: string;
  /** The headings of the document in order, the section's own among them. */
  readonly outline: readonly string[];
}

export interface SectionOrder {
  readonly round: number;
  readonly attempt: number;
  readonly plan: SectionPlan;
  readonly about: Surroundings;
  readonly path: readonly string[];
  readonly expectedHash: string;
  readonly baseRevisionId: string | null;
}

/** Requests the research of one section, with its place in the document as the target. */
export function requestSection(order: SectionOrder): WorkRequest {
  const { round, attempt, plan, about, path, expectedHash, baseRevisionId } = order;
  return {
    type: "request_work",
    capability: "research",
    objective: plan.question,
    depends_on: [],
    idempotency_key: `section/${round}/${plan.heading}/${attempt}`,
    input: {
      question: plan.question,
      about: { ...about, outline: [...about.outline], heading: plan.heading },
      ...(plan.notes === undefined ? {} : { notes: plan.notes }),
      ...(plan.sources === undefined ? {} : { sources: plan.sources }),
      target: { op: "section.replace", section: [...path], expected_hash: expectedHash },
      base_revision_id: baseRevisionId,
    },
  };
}

export function mayTryAgain(work: SectionWork): boolean {
  return work.attempt < mostAttempts;
}

/** The current place of a section: at its path, or by its heading alone if a parent was renamed. */
export function placeOf(
  manuscript: Manuscript,
  { path, heading }: Pick<SectionWork, "path" | "heading">,
): { readonly path: readonly string[]; readonly hash: string; readonly body: string } | null {
  for (const each of [path, [heading]]) {
    const found = manuscript.section(each);
    if (found) return { path: each, ...found };
  }
  return null;
}
