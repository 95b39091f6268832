import { surroundingsOf } from "./order-sections.ts";
import { mayTryAgain, placeOf, requestSection, type SectionWork } from "./section-work.ts";
import type { WriterState } from "./state.ts";

/**
 * Replanning. Research that was rejected because the section changed meanwhile is requested again, with the current text of the
 * section. A section that was deleted is not requested.
 */
export function orderAgain(state: WriterState): void {
  const { manuscript, patches, sections, input, requests } = state;
  const rejected = new Set(manuscript.rejections.map((rejection) => rejection.patch_id));
  for (const patch of patches) {
    if (!rejected.has(patch.patch_id) || patch.source_work_id === null) continue;
    const work = sections.find(({ item }) => item.work_id === patch.source_work_id);
    const place = work && placeOf(manuscript, work);
    if (!work || !place || !mayTryAgain(work)) continue;
    requests.push(
      requestSection({
        round: work.round,
        attempt: work.attempt + 1,
        plan: { ...work.plan, notes: notesFor(work, place.body) },
        about: surroundingsOf(state),
        path: place.path,
        expectedHash: place.hash,
        baseRevisionId: input.head_revision_id,
      }),
    );
  }
}

const shown = 4_000;

function notesFor({ plan }: SectionWork, body: string): string {
  const written = `Somebody wrote this into the section meanwhile; keep what they say and build on it:\n\n${body.slice(0, shown)}`;
  return plan.notes === undefined ? written : `${plan.notes}\n\n${written}`;
}
