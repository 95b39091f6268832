import { unreachable, type WorkId } from "#base";
import type { Sqlite } from "#store";
import type { RunRow, WorkState } from "../../records.ts";
import type { WorkChange } from "../../transition.ts";
import type { Writes } from "../../working-set.ts";
import { writeOf } from "./sql.ts";

/** Writes what a step changed. One prepared query per verb, so that each touches only the indexes it must. */
export function createWriter(database: Sqlite, tenant: string): (writes: Writes, now: number) => void {
  const insertRun = writeOf(database, "insert-run");
  const updateRun = writeOf(database, "update-run");
  const insertWork = writeOf(database, "insert-work");
  const insertDependency = writeOf(database, "insert-dependency");
  const leaseWork = writeOf(database, "lease-work");
  const extendLease = writeOf(database, "extend-lease");
  const endWork = writeOf(database, "end-work");
  const requeueWork = writeOf(database, "requeue-work");
  const setWaiting = writeOf(database, "set-waiting");
  const setDependents = writeOf(database, "set-dependents");
  const insertPatch = writeOf(database, "insert-patch");
  const applyPatch = writeOf(database, "apply-patch");
  const rejectPatch = writeOf(database, "reject-patch");
  const insertRevision = writeOf(database, "insert-revision");
  const insertEvent = writeOf(database, "insert-event");

  // Rows made in the write under way: their numbers are known only now.
  const fresh = new Map<WorkId, number>();
  const numberOf = (item: WorkState): number => item.number || (fresh.get(item.work_id) ?? 0);

  const writeWork = (change: WorkChange, now: number): void => {
    const { item } = change;
    const ready = item.ready ? 1 : 0;
    switch (change.verb) {
      case "insert": {
        const made = change.item;
        const { lastInsertRowid } = insertWork.run(
          tenant,
          made.run_id,
          made.work_id,
          made.capability,
          made.objective,
          made.input === null ? null : JSON.stringify(made.input),
          JSON.stringify(made.depends_on),
          made.max_retries,
          -made.priority,
          made.not_before,
          made.idempotency_key,
          made.waiting_on,
          ready,
          now,
          now,
        );
        fresh.set(made.work_id, Number(lastInsertRowid));
        for (const dependency of made.depends_on) insertDependency.run(tenant, made.run_id, dependency, made.work_id);
        return;
      }
      case "lease":
        leaseWork.run(item.lease_owner, item.lease_expires_at, item.lease_epoch, now, numberOf(item), tenant);
        return;
      case "extend":
        extendLease.run(item.lease_expires_at, now, numberOf(item), tenant);
        return;
      case "end":
        endWork.run(item.status, item.ended_by, now, numberOf(item), tenant);
        return;
      case "requeue":
        requeueWork.run(item.retry_count, item.not_before, ready, now, numberOf(item), tenant);
        return;
      case "wait":
        setWaiting.run(item.waiting_on, ready, now, numberOf(item), tenant);
        return;
      case "name":
        setDependents.run(item.dependents, numberOf(item), tenant);
        return;
      default:
        unreachable(change);
    }
  };

  return (writes, now) => {
    for (const run of writes.newRuns) insertRun.run(tenant, ...runColumns(run));
    for (const change of writes.work) writeWork(change, now);
    fresh.clear();
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
    // One by one: sixteen rows in a statement were no faster (5.4 and 4.3 µs a row).
    for (const event of writes.events)
      insertEvent.run(
        tenant,
        event.run_id,
        event.seq,
        event.event_type,
        event.payload,
        event.actor_id,
        event.created_at,
      );
    for (const run of writes.changedRuns)
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
