import type { Sqlite } from "#core/database";
import type { RunRow } from "../../records.ts";
import type { RunWrites, StepWrites } from "../../working-set.ts";
import { writeOf } from "./sql.ts";
import { createEventWriter } from "./write-events.ts";
import { createWorkWriter } from "./write-work.ts";

export interface Writer {
  /** What a step changed. */
  step(writes: StepWrites, now: number): void;
  runs(runs: RunWrites): void;
}

export function createWriter(database: Sqlite, tenant: string): Writer {
  const insertRun = writeOf(database, "insert-run");
  const updateRun = writeOf(database, "update-run");
  const insertPatch = writeOf(database, "insert-patch");
  const applyPatch = writeOf(database, "apply-patch");
  const rejectPatch = writeOf(database, "reject-patch");
  const insertRevision = writeOf(database, "insert-revision");
  const writeWork = createWorkWriter(database, tenant);
  const writeEvents = createEventWriter(database, tenant);

  return {
    step(writes, now) {
      writeWork(writes.work, now);
      for (const patch of writes.patches)
        insertPatch.run(
          tenant,
          patch.run_id,
          patch.patch_id,
          patch.author_kind,
          patch.author_id,
          patch.source_work_id,
          patch.base_revision_id,
          JSON.stringify(patch.ops),
          patch.created_at,
        );
      for (const revision of writes.revisions)
        insertRevision.run(
          tenant,
          revision.run_id,
          revision.revision_id,
          revision.parent_revision_id,
          revision.created_by_app_id,
          JSON.stringify(revision.applied_patch_ids),
          JSON.stringify(revision.rejected_patch_ids),
          JSON.stringify(revision.rejections),
          JSON.stringify(revision.document_ref),
          revision.created_at,
        );
      for (const { verdict, revision_id, run_id, patch_id } of writes.settled)
        (verdict === "applied" ? applyPatch : rejectPatch).run(revision_id, run_id, patch_id, tenant);
      writeEvents(writes.events);
    },
    runs({ newRuns, changedRuns, countedRuns }) {
      for (const run of newRuns) insertRun.run(tenant, ...runColumns(run));
      for (const run of [...changedRuns, ...countedRuns])
        updateRun.run(
          run.status,
          run.close_reason,
          run.close_message,
          run.head_revision_id,
          run.updated_at,
          run.paused ? 1 : 0,
          run.last_seq,
          run.open_work,
          run.fact_seq,
          run.seen_seq,
          run.turn_owner,
          run.turn_epoch,
          run.turn_expires_at,
          run.turn_applied_epoch,
          run.turn_failures,
          run.turn_not_before,
          run.turn_due_at,
          tenant,
          run.run_id,
        );
    },
  };
}

function runColumns(run: RunRow): unknown[] {
  return [
    run.run_id,
    run.app_id,
    run.objective,
    run.status,
    run.close_reason,
    run.close_message,
    run.head_revision_id,
    run.created_at,
    run.updated_at,
    run.paused ? 1 : 0,
    run.last_seq,
    run.open_work,
    run.fact_seq,
    run.seen_seq,
    run.turn_owner,
    run.turn_epoch,
    run.turn_expires_at,
    run.turn_applied_epoch,
    run.turn_failures,
    run.turn_not_before,
    run.turn_due_at,
  ];
}
