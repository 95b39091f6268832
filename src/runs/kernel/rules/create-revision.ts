import { domainError } from "#core/errors";
import { err, ok, type PatchId, type Result } from "#core/values";
import type { TurnAction } from "../commands.ts";
import type { PatchRow, PatchState, RevisionRow, RunRow } from "../records.ts";
import type { EventDraft, SettledPatch, World } from "../transition.ts";
import { opsHash } from "./ops-hash.ts";

export interface CreatedRevision {
  readonly run: RunRow;
  readonly revision: RevisionRow;
  /** The app's own patches: submitted and applied in one step. */
  readonly patches: readonly PatchRow[];
  readonly settled: readonly SettledPatch[];
  readonly events: readonly EventDraft[];
}

/**
 *   head ◄──parent── new revision      only if the parent is the head now; the head moves with it
 *
 * The only place where canon changes, and only by patches: what the app itself writes is a patch too. `settledBefore` holds
 * the patches that earlier revisions of the same batch settled.
 */
export function createRevision(
  world: World,
  run: RunRow,
  action: Extract<TurnAction, { readonly type: "create_revision" }>,
  settledBefore: ReadonlySet<PatchId>,
): Result<CreatedRevision> {
  if (action.parent_revision_id !== run.head_revision_id)
    return err(
      domainError(
        "REVISION_CONFLICT",
        `the revision names ${action.parent_revision_id ?? "no parent"}, but the head of run ${run.run_id} is ${run.head_revision_id ?? "empty"}: read the head again and decide anew`,
        { details: { run_id: run.run_id, parent: action.parent_revision_id, head: run.head_revision_id } },
      ),
    );
  const named = [...action.applied_patch_ids, ...action.rejected_patch_ids];
  const taken = new Set<PatchId>(settledBefore);
  for (const patchId of named) {
    const patch = world.patch(run.run_id, patchId);
    if (!patch)
      return err(
        domainError("NOT_FOUND", `run ${run.run_id} has no patch ${patchId}`, {
          details: { run_id: run.run_id, patch_id: patchId },
        }),
      );
    const settledIn = settledRevision(patch);
    if (settledIn !== null || taken.has(patchId))
      return err(
        domainError(
          "PATCH_ALREADY_APPLIED",
          `patch ${patchId} was already settled${settledIn === null ? " in this batch" : ` in revision ${settledIn}`}: a patch goes into one revision at most`,
          { details: { run_id: run.run_id, patch_id: patchId, revision_id: settledIn } },
        ),
      );
    taken.add(patchId);
  }
  const own = action.own_patches ?? [];
  const applied = [...action.applied_patch_ids, ...own.map((patch) => patch.patch_id)];
  const revision: RevisionRow = {
    revision_id: action.revision_id,
    run_id: run.run_id,
    parent_revision_id: run.head_revision_id,
    created_by_app_id: run.app_id,
    applied_patch_ids: applied,
    rejected_patch_ids: action.rejected_patch_ids,
    rejections: action.rejections,
    document_ref: action.document_ref,
    created_at: world.now,
  };
  const settle = (patch_id: PatchId, verdict: SettledPatch["verdict"]): SettledPatch => ({
    run_id: run.run_id,
    patch_id,
    revision_id: revision.revision_id,
    verdict,
  });
  const event = (event_type: EventDraft["event_type"], payload: EventDraft["payload"]): EventDraft => ({
    run_id: run.run_id,
    event_type,
    actor_id: run.app_id,
    payload,
  });
  return ok({
    run: { ...run, head_revision_id: revision.revision_id },
    revision,
    patches: own.map(
      (patch): PatchRow => ({
        patch_id: patch.patch_id,
        run_id: run.run_id,
        author_kind: "app",
        author_id: run.app_id,
        source_work_id: null,
        base_revision_id: run.head_revision_id,
        ops: patch.ops,
        applied_in_revision_id: null,
        rejected_in_revision_id: null,
        created_at: world.now,
      }),
    ),
    settled: [
      ...applied.map((id) => settle(id, "applied")),
      ...action.rejected_patch_ids.map((id) => settle(id, "rejected")),
    ],
    events: [
      ...own.map(({ patch_id, ops, work_order_id, session_id }) =>
        event("patch.submitted", {
          author_kind: "app",
          ops_hash: opsHash(ops),
          patch_id,
          ...(session_id === undefined ? {} : { session_id }),
          ...(work_order_id === undefined ? {} : { work_order_id }),
        }),
      ),
      event("revision.created", {
        document_ref: { ...revision.document_ref },
        parent_revision_id: revision.parent_revision_id,
        revision_id: revision.revision_id,
      }),
      ...applied.map((patch_id) => event("patch.applied", { patch_id, revision_id: revision.revision_id })),
      ...action.rejected_patch_ids.map((patch_id) => {
        const reason = action.rejections.find((rejection) => rejection.patch_id === patch_id)?.reason;
        return event("patch.rejected", {
          patch_id,
          ...(reason === undefined ? {} : { reason }),
          revision_id: revision.revision_id,
        });
      }),
      event("revision.head_changed", { from: revision.parent_revision_id, revision_id: revision.revision_id }),
    ],
  });
}

function settledRevision(patch: PatchState): string | null {
  return patch.applied_in_revision_id ?? patch.rejected_in_revision_id;
}
