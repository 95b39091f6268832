import type { WriterState } from "./state.ts";
import { titleOf } from "./title-of.ts";

export const surveyKey = "survey";
/** The text under the title until there is an outline. */
export const waitingText = "_Research is under way. The sections appear here as they are written._";

/** Writes a first document, so that there is something to read, and requests the survey. */
export function openDocument({ manuscript, input, requests }: WriterState): void {
  manuscript.write(
    { op: "section.insert", heading: titleOf(input.objective), level: 1, body: waitingText },
    { op: "front_matter.set", key: "objective", value: input.objective },
    { op: "front_matter.set", key: "status", value: "researching" },
  );
  requests.push({
    type: "request_work",
    capability: "research",
    objective: `What is there to read about this: ${input.objective}`,
    depends_on: [],
    idempotency_key: surveyKey,
    input: { question: input.objective, base_revision_id: null, max_findings: 12 },
  });
}
