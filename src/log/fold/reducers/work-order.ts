import type { Event } from "../../event.ts";
import type { Draft, Reducers } from "../draft.ts";

export const workOrderReducers: Reducers = {
  "wo.started": (draft, { payload }) => {
    const { work_order_id, framework_id, agent_class, work_order_hash } = payload;
    draft.work_order = { work_order_id, framework_id, agent_class, work_order_hash, status: "started" };
  },
  "wo.completed": (draft, { payload }) => end(draft, payload.outcome.status, payload),
  "wo.failed": (draft, { payload }) => end(draft, payload.outcome.status, payload),
  "wo.rejected": (draft) => {
    if (draft.work_order) draft.work_order = { ...draft.work_order, status: "rejected" };
  },
};

function end(
  draft: Draft,
  status: string,
  said: Pick<
    Event<"wo.completed">["payload"],
    "output" | "verdict" | "over_budget" | "unpriced_models" | "tokens_used"
  >,
): void {
  if (said.over_budget) draft.over_budget = said.over_budget;
  if (said.unpriced_models) draft.unpriced_models = said.unpriced_models;
  if (said.tokens_used && "estimated" in said.tokens_used) draft.estimated = true;
  if (draft.work_order) draft.work_order = { ...draft.work_order, status };
  draft.output = said.output ?? draft.output;
  draft.verdict = said.verdict ?? draft.verdict;
}
