import type { Transaction } from "#store";
import type { EventRow, NewWork, PatchRow, RevisionRow, RunRow, WorkState } from "../../records.ts";
import type { SettledPatch } from "../../transition.ts";
import type { Writes } from "../../working-set.ts";
import { lastOfEach } from "./last-of-each.ts";
import { sql } from "./sql.ts";

const insertRuns = sql("insert-runs");
const updateRuns = sql("update-runs");
const insertWork = sql("insert-work");
const insertDependencies = sql("insert-dependencies");
const changeWork = sql("change-work");
const insertPatches = sql("insert-patches");
const settlePatches = sql("settle-patches");
const insertRevisions = sql("insert-revisions");
const insertEvents = sql("insert-events");

/** Writes what a step changed: one statement for each kind of record, however many there are. Nobody waits for it here. */
export function createWriter(tenant: string): (transaction: Transaction, writes: Writes, now: number) => void {
  return (transaction, writes, now) => {
    const { made, changed } = lastOfEach(writes.work);
    if (writes.newRuns.length > 0) transaction.send(insertRuns, [tenant, ...columns(writes.newRuns, runColumns)]);
    if (made.length > 0) {
      transaction.send(insertWork, [tenant, now, ...columns(made, newWorkColumns)]);
      const edges = made.flatMap((item) => item.depends_on.map((dependency) => ({ item, dependency })));
      if (edges.length > 0)
        transaction.send(insertDependencies, [
          tenant,
          ...columns(edges, ({ item, dependency }) => [item.run_id, dependency, item.work_id]),
        ]);
    }
    if (changed.length > 0) transaction.send(changeWork, [tenant, now, ...columns(changed, workColumns)]);
    if (writes.patches.length > 0) transaction.send(insertPatches, [tenant, ...columns(writes.patches, patchColumns)]);
    if (writes.revisions.length > 0)
      transaction.send(insertRevisions, [tenant, ...columns(writes.revisions, revisionColumns)]);
    if (writes.settled.length > 0)
      transaction.send(settlePatches, [tenant, ...columns(writes.settled, settledColumns)]);
    if (writes.events.length > 0)
      transaction.send(insertEvents, [tenant, now, ...columns(writes.events, eventColumns)]);
    if (writes.changedRuns.length > 0)
      transaction.send(updateRuns, [tenant, ...columns(writes.changedRuns, changedRun)]);
  };
}

/** From rows to one array per column, as `unnest` takes them. */
function columns<T>(rows: readonly T[], columnsOf: (row: T) => readonly unknown[]): unknown[][] {
  const arrays: unknown[][] = [];
  for (const row of rows)
    for (const [index, value] of columnsOf(row).entries()) {
      const array = arrays[index];
      if (array) array.push(value);
      else arrays.push([value]);
    }
  return arrays;
}

function isOpen({ status }: WorkState): boolean {
  return status === "queued" || status === "leased";
}

function newWorkColumns(item: NewWork): readonly unknown[] {
  return [
    item.run_id,
    item.work_id,
    item.capability,
    item.objective,
    item.input === null ? null : JSON.stringify(item.input),
    JSON.stringify(item.depends_on),
    item.status,
    item.max_retries,
    -item.priority,
    item.not_before,
    item.idempotency_key,
    item.waiting_on,
    item.dependents,
    item.ready,
    isOpen(item),
    item.ended_by,
  ];
}

function workColumns(item: WorkState): readonly unknown[] {
  return [
    item.run_id,
    item.work_id,
    item.status,
    item.lease_owner,
    item.lease_expires_at,
    item.lease_epoch,
    item.retry_count,
    item.not_before,
    item.waiting_on,
    item.dependents,
    item.ready,
    isOpen(item),
    item.ended_by,
  ];
}

function patchColumns(patch: PatchRow): readonly unknown[] {
  return [
    patch.run_id,
    patch.patch_id,
    patch.author_kind,
    patch.author_id,
    patch.source_work_id,
    patch.base_revision_id,
    JSON.stringify(patch.ops),
    patch.created_at,
  ];
}

function settledColumns({ run_id, patch_id, revision_id, verdict }: SettledPatch): readonly unknown[] {
  return [run_id, patch_id, verdict === "applied" ? revision_id : null, verdict === "rejected" ? revision_id : null];
}

function revisionColumns(revision: RevisionRow): readonly unknown[] {
  return [
    revision.run_id,
    revision.revision_id,
    revision.parent_revision_id,
    revision.created_by_app_id,
    JSON.stringify(revision.applied_patch_ids),
    JSON.stringify(revision.rejected_patch_ids),
    JSON.stringify(revision.rejections),
    JSON.stringify(revision.document_ref),
    revision.created_at,
  ];
}

function eventColumns(event: EventRow): readonly unknown[] {
  return [event.run_id, event.seq, event.event_type, event.payload, event.actor_id];
}

function runColumns(run: RunRow): readonly unknown[] {
  const { run_id, app_id, objective, created_at } = run;
  const [, status, close_reason, close_message, head_revision_id, updated_at, ...rest] = changedRun(run);
  return [
    run_id,
    app_id,
    objective,
    status,
    close_reason,
    close_message,
    head_revision_id,
    created_at,
    updated_at,
    ...rest,
  ];
}

function changedRun(run: RunRow): readonly unknown[] {
  return [
    run.run_id,
    run.status,
    run.close_reason,
    run.close_message,
    run.head_revision_id,
    run.updated_at,
    run.paused,
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
