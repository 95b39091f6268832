import type { AppTurnActionsV1 } from "#core/contracts";
import type { IdSource, JsonObject, PatchId, RevisionId } from "#core/values";
import type { OwnPatch, TurnAction } from "./commands.ts";
import type { Rejection } from "./records.ts";

/** Converts the app's validated answer to the kernel's actions. New records get their ids here. */
export function toTurnActions(answer: AppTurnActionsV1, ids: IdSource): readonly TurnAction[] {
  return answer.actions.map((action): TurnAction => {
    switch (action.type) {
      case "request_work":
        return {
          type: "request_work",
          work_id: ids.workId(),
          capability: action.capability,
          objective: action.objective,
          depends_on: action.depends_on,
          idempotency_key: action.idempotency_key,
          ...(action.priority === undefined ? {} : { priority: action.priority }),
          ...(action.not_before === undefined ? {} : { not_before: Date.parse(action.not_before) }),
          ...(action.max_retries === undefined ? {} : { max_retries: action.max_retries }),
          ...(action.input === undefined ? {} : { input: action.input as JsonObject }),
        };
      case "create_revision":
        return {
          type: "create_revision",
          revision_id: ids.revisionId(),
          parent_revision_id: action.parent_revision_id as RevisionId | null,
          applied_patch_ids: action.applied_patch_ids as PatchId[],
          rejected_patch_ids: action.rejected_patch_ids as PatchId[],
          document_ref: action.document_ref,
          rejections: (action.rejections ?? []) as Rejection[],
          own_patches: (action.own_patches ?? []).map(
            // The contract's `value` is any JSON, which its generated type cannot say.
            (patch): OwnPatch => ({ ...patch, patch_id: ids.patchId(), ops: patch.ops as unknown as JsonObject[] }),
          ),
        };
      case "close_run":
        return {
          type: "close_run",
          reason: action.reason,
          ...(action.message === undefined ? {} : { message: action.message }),
          ...(action.unless_news === undefined ? {} : { unless_news: action.unless_news }),
        };
      case "noop":
        return { type: "noop" };
    }
  });
}
