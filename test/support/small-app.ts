import type { AppTurnActionsV1 } from "#core/contracts";
import type { ThinkingApp } from "#runs";

type Action = AppTurnActionsV1["actions"][number];

/**
 * An app without a mind: its objective is the list of the work that it wants, as JSON. Each patch that comes goes into a
 * document of its own; when nothing is open any more, the run is over.
 */
export const smallApp: ThinkingApp = {
  app_id: "small",
  async turn(input, { read, run_id, documents }) {
    if (input.new_events_since_seq === 0) return { actions: JSON.parse(input.objective) as Action[] };
    const actions: Action[] = [];
    if (input.unapplied_patch_ids.length > 0) {
      const texts: string[] = [];
      for (const id of input.unapplied_patch_ids) {
        const patch = await read.patch(run_id, id);
        if (!patch.ok) throw new Error(patch.error.message);
        texts.push(JSON.stringify(patch.value.ops));
      }
      const kept = await documents.put(texts.join("\n"));
      if (!kept.ok) throw new Error(kept.error.message);
      actions.push({
        type: "create_revision",
        parent_revision_id: input.head_revision_id,
        applied_patch_ids: input.unapplied_patch_ids,
        rejected_patch_ids: [],
        document_ref: kept.value,
      });
    }
    if (input.open_work_summary.length === 0) actions.push({ type: "close_run", reason: "completed" });
    return { actions: actions.length > 0 ? actions : [{ type: "noop" }] };
  },
};

/** The request of one piece of work, as the objective of a run of the small app has it. */
export function want(capability: string, objective: string, input: object = {}, more: object = {}): object {
  return {
    type: "request_work",
    capability,
    objective,
    depends_on: [],
    idempotency_key: `${capability}:${objective}`,
    input,
    ...more,
  };
}
