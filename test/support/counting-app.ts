import type { AppTurnActionsV1 } from "#core/contracts";
import type { App } from "../../src/runs/kernel/app.ts";

type Action = AppTurnActionsV1["actions"][number];

/**
 * The smallest app worth the name: the objective says how many items of which capability it wants ("count 20"), every
 * patch goes into the next revision, and the run closes when nothing is open.
 */
export const countingApp: App = {
  app_id: "counting",
  async turn(input, context) {
    const actions: Action[] = [];
    if (input.new_events_since_seq === 0) {
      const [capability = "count", count = "1"] = input.objective.split(" ");
      for (let index = 0; index < Number(count); index++)
        actions.push({
          type: "request_work",
          capability,
          objective: `item ${index}`,
          depends_on: index % 5 === 4 ? [`item-${index - 1}`] : [],
          idempotency_key: `item-${index}`,
          max_retries: 50,
        });
    }
    if (input.unapplied_patch_ids.length > 0) {
      const kept = await context.documents.put(`${input.run_id}: ${input.unapplied_patch_ids.join(", ")}`);
      if (!kept.ok) throw new Error(kept.error.message);
      actions.push({
        type: "create_revision",
        parent_revision_id: input.head_revision_id,
        applied_patch_ids: input.unapplied_patch_ids,
        rejected_patch_ids: [],
        document_ref: kept.value,
      });
    }
    if (input.open_work_summary.length === 0 && input.new_events_since_seq > 0)
      actions.push({ type: "close_run", reason: "completed" });
    return { actions: actions.length > 0 ? actions : [{ type: "noop" }] };
  },
};
