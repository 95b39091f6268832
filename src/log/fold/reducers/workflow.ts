import type { Draft, Reducers } from "../draft.ts";

export const workflowReducers: Reducers = {
  "workflow.started": (draft, { payload }) => {
    const { cycle_id, entry_phase } = payload;
    draft.workflow = {
      cycle_id,
      phase: entry_phase ?? null,
      verdict: null,
      phases_visited: entry_phase ? [entry_phase] : [],
    };
  },
  "workflow.phase_advanced": (draft, { payload }) => {
    if (!draft.workflow) return;
    const { to_phase } = payload;
    const { phases_visited } = draft.workflow;
    if (to_phase !== null && phases_visited.at(-1) !== to_phase) phases_visited.push(to_phase);
    draft.workflow.phase = to_phase;
  },
  "workflow.completed": (draft, { payload }) => end(draft, payload.verdict),
  "workflow.aborted": (draft) => end(draft, "abort"),
};

function end(draft: Draft, verdict: string): void {
  if (draft.workflow) draft.workflow = { ...draft.workflow, verdict };
}
