import type { WorkItemV1 } from "#core/contracts";
import type { ThinkingApp } from "../thinking-app.ts";
import { editDocument } from "./edit-document.ts";
import { makeOutline } from "./make-outline.ts";
import { openDocument, surveyKey } from "./open-document.ts";
import { orderAgain } from "./order-again.ts";
import { actionsOf, openState } from "./state.ts";

/**
 *   opened ──survey──► outlined ──research of each section──► integrated ──editorial──► closed
 *                                    ▲        ▲                │     │
 *                                    │        └── changed meanwhile  │
 *                                    └──────────── something missing ┘
 *
 * The state of a run follows from its work items and its document; nothing is kept between turns. A model makes the outline, and
 * edits whenever all work is done and the document has changed.
 */
export const writerApp: ThinkingApp = {
  app_id: "writer",
  async turn(input, context) {
    const state = await openState(input, context);
    state.manuscript.integrate(state.patches);
    if (input.head_revision_id === null) openDocument(state);
    const survey = state.items.find((item) => item.idempotency_key === surveyKey);
    if (survey && isEnded(survey)) {
      if (state.sections.length === 0) await makeOutline(state, survey);
      else orderAgain(state);
      const isAllDone = state.requests.length === 0 && input.open_work_summary.length === 0;
      if (isAllDone) await editDocument(state);
    }
    return actionsOf(state);
  },
};

function isEnded({ status }: WorkItemV1): boolean {
  return status !== "queued" && status !== "leased";
}
