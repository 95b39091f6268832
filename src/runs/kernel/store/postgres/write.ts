import type { Transaction } from "#core/database";
import type { RunId } from "#core/values";
import type { NewWork, RunRow, WorkState } from "../../records.ts";
import type { Writes } from "../../working-set.ts";
import { alike, ifAny, texts, values } from "./array-text.ts";
import { eventRows } from "./event-rows.ts";
import { type ReadyPlace, readyRows } from "./ready-batch.ts";
import { sql } from "./sql.ts";
import { workWrites } from "./work-writes.ts";

const insertRuns = sql("insert-runs");
const updateRuns = sql("update-runs");
const countRuns = sql("count-runs");
const countRun = sql("count-run");
const insertWork = sql("insert-work");
const insertDependencies = sql("insert-dependencies");
const leaseWork = sql("lease-work");
const endWork = sql("end-work");
const changeWork = sql("change-work");
const watchLeases = sql("watch-leases");
const insertPatches = sql("insert-patches");
const settlePatches = sql("settle-patches");
const insertRevisions = sql("insert-revisions");
const insertEvents = sql("insert-events");

export interface WriteOptions {
  readonly now: number;
  /** The positions of the leased items, by their numbers. */
  readonly places: ReadonlyMap<number, ReadyPlace>;
}

/** How many items one row of `work_leased` names: as many as fit without TOAST. */
const watchedTogether = 200;

/** How many new items one statement inserts: while the server writes them, this process formats the next ones. */
const insertedTogether = 250;

/** Writes what a step changed, with one statement per kind of change. It only sends: the transaction waits at its commit. */
export function createWriter(
  tenant: string,
): (transaction: Transaction, writes: Writes, options: WriteOptions) => void {
  return (transaction, writes, { now, places }) => {
    if (writes.newRuns.length > 0)
      transaction.send(insertRuns, [tenant, ...runNames(writes.newRuns), ...runColumns(writes.newRuns)]);
    if (writes.work.length > 0) writeWork(transaction, writes, { now, places });
    if (writes.patches.length > 0) transaction.send(insertPatches, [tenant, ...patchColumns(writes.patches)]);
    if (writes.revisions.length > 0) transaction.send(insertRevisions, [tenant, ...revisionColumns(writes.revisions)]);
    if (writes.settled.length > 0) transaction.send(settlePatches, [tenant, ...settledColumns(writes.settled)]);
    if (writes.events.length > 0) transaction.send(insertEvents, [tenant, now, ...eventColumns(writes.events)]);
    if (writes.changedRuns.length > 0)
      transaction.send(updateRuns, [
        tenant,
        texts(writes.changedRuns, (run) => run.run_id),
        ...runColumns(writes.changedRuns),
      ]);
    const [counted, ...others] = writes.countedRuns;
    if (counted && others.length === 0) {
      const { run_id, last_seq, open_work, fact_seq, turn_due_at } = counted;
      transaction.send(countRun, [tenant, now, run_id, last_seq, open_work, fact_seq, turn_due_at]);
    } else if (counted) transaction.send(countRuns, [tenant, now, ...counters(writes.countedRuns)]);
  };

  function writeWork(transaction: Transaction, writes: Writes, { now, places }: WriteOptions): void {
    const { made, leased, ended, changed, watched } = workWrites(writes.work);
    if (made.length > 0) {
      for (let from = 0; from < made.length; from += insertedTogether)
        transaction.send(insertWork, [tenant, now, ...newWorkColumns(made.slice(from, from + insertedTogether))]);
      const edges = made.flatMap((item) => item.depends_on.map((dependency) => ({ item, dependency })));
      if (edges.length > 0)
        transaction.send(insertDependencies, [
          tenant,
          texts(edges, ({ item }) => item.run_id),
          texts(edges, ({ dependency }) => dependency),
          texts(edges, ({ item }) => item.work_id),
        ]);
    }
    for (const [index, group] of leased.entries()) {
      const [{ lease_owner, lease_expires_at, lease_epoch }] = group as [WorkState];
      const items = texts(group, (item) => places.get(item.number)?.item ?? null);
      // Their `work_ready` rows are updated with the first group: a claim's rows are read once.
      const ready = index === 0 ? readyRows(places, leased.flat()) : [];
      transaction.send(leaseWork, [
        tenant,
        now,
        lease_owner,
        lease_expires_at,
        lease_epoch,
        items,
        texts(ready, ({ row }) => row),
        values(ready, ({ last }) => last),
        texts(ready, ({ kept }) => values(kept, (number) => number)),
      ]);
    }
    for (const group of ended) {
      const [{ status, ended_by }] = group as [WorkState];
      transaction.send(endWork, [tenant, now, status, ended_by, numbersOf(group)]);
    }
    if (changed.length > 0) transaction.send(changeWork, [tenant, now, ...changedColumns(changed)]);
    if (watched.length > 0) {
      const rows = watchRows(watched);
      transaction.send(watchLeases, [
        tenant,
        values(rows, ({ expiresAt }) => expiresAt),
        texts(rows, ({ runId }) => runId),
        texts(rows, ({ items }) => numbersOf(items)),
      ]);
    }
  }
}

function numbersOf(items: readonly WorkState[]): string {
  return values(items, (item) => item.number);
}

interface WatchRow {
  readonly runId: RunId;
  readonly expiresAt: number;
  readonly items: WorkState[];
}

/** Items of one run whose leases end together share a row. */
function watchRows(items: readonly WorkState[]): readonly WatchRow[] {
  const rows: WatchRow[] = [];
  const filling = new Map<string, WatchRow>();
  for (const item of items) {
    const expiresAt = item.lease_expires_at ?? 0;
    const name = `${expiresAt} ${item.run_id}`;
    let row = filling.get(name);
    if (!row || row.items.length >= watchedTogether) {
      row = { runId: item.run_id, expiresAt, items: [] };
      filling.set(name, row);
      rows.push(row);
    }
    row.items.push(item);
  }
  return rows;
}

function newWorkColumns(items: readonly NewWork[]): readonly string[] {
  return [
    alike(items, (item) => item.run_id, texts),
    texts(items, (item) => item.work_id),
    alike(items, (item) => item.capability, texts),
    texts(items, (item) => item.objective),
    ifAny(items, (item) => (item.input === null ? null : JSON.stringify(item.input)), texts),
    alike(items, (item) => (item.depends_on.length === 0 ? "[]" : JSON.stringify(item.depends_on)), texts),
    alike(items, (item) => item.status, texts),
    ifAny(items, (item) => item.lease_owner, texts),
    ifAny(items, (item) => item.lease_expires_at, values),
    alike(items, (item) => item.lease_epoch, values),
    alike(items, (item) => item.max_retries, values),
    alike(items, (item) => -item.priority, values),
    ifAny(items, (item) => item.not_before, values),
    ifAny(items, (item) => item.idempotency_key, texts),
    alike(items, (item) => item.waiting_on, values),
    alike(items, (item) => item.dependents, values),
    alike(items, (item) => item.ready, values),
    ifAny(items, (item) => item.ended_by, texts),
  ];
}

function changedColumns(items: readonly WorkState[]): readonly string[] {
  return [
    numbersOf(items),
    texts(items, (item) => item.status),
    texts(items, (item) => item.lease_owner),
    values(items, (item) => item.lease_expires_at),
    values(items, (item) => item.lease_epoch),
    values(items, (item) => item.retry_count),
    values(items, (item) => item.not_before),
    values(items, (item) => item.waiting_on),
    values(items, (item) => item.dependents),
    values(items, (item) => item.ready),
    texts(items, (item) => item.ended_by),
  ];
}

function patchColumns(patches: Writes["patches"]): readonly string[] {
  return [
    texts(patches, (patch) => patch.run_id),
    texts(patches, (patch) => patch.patch_id),
    texts(patches, (patch) => patch.author_kind),
    texts(patches, (patch) => patch.author_id),
    texts(patches, (patch) => patch.source_work_id),
    texts(patches, (patch) => patch.base_revision_id),
    texts(patches, (patch) => JSON.stringify(patch.ops)),
    values(patches, (patch) => patch.created_at),
  ];
}

function settledColumns(settled: Writes["settled"]): readonly string[] {
  return [
    texts(settled, ({ run_id }) => run_id),
    texts(settled, ({ patch_id }) => patch_id),
    texts(settled, ({ verdict, revision_id }) => (verdict === "applied" ? revision_id : null)),
    texts(settled, ({ verdict, revision_id }) => (verdict === "rejected" ? revision_id : null)),
  ];
}

function revisionColumns(revisions: Writes["revisions"]): readonly string[] {
  return [
    texts(revisions, (revision) => revision.run_id),
    texts(revisions, (revision) => revision.revision_id),
    texts(revisions, (revision) => revision.parent_revision_id),
    texts(revisions, (revision) => revision.created_by_app_id),
    texts(revisions, (revision) => JSON.stringify(revision.applied_patch_ids)),
    texts(revisions, (revision) => JSON.stringify(revision.rejected_patch_ids)),
    texts(revisions, (revision) => JSON.stringify(revision.rejections)),
    texts(revisions, (revision) => JSON.stringify(revision.document_ref)),
    values(revisions, (revision) => revision.created_at),
  ];
}

/** Separates payloads: JSON always escapes this character. */
const separator = "\x1e";

function eventColumns(events: Writes["events"]): readonly string[] {
  const rows = eventRows(events);
  return [
    texts(rows, (row) => row.run_id),
    values(rows, (row) => row.seq),
    values(rows, (row) => row.lines),
    texts(rows, (row) => row.event_type),
    rows.map((row) => row.payload).join(separator),
    texts(rows, (row) => row.actor_id),
  ];
}

/** The columns of a run that never change. */
function runNames(runs: readonly RunRow[]): readonly string[] {
  return [
    texts(runs, (run) => run.run_id),
    texts(runs, (run) => run.app_id),
    texts(runs, (run) => run.objective),
    values(runs, (run) => run.created_at),
  ];
}

/** The columns of a run that every event changes. */
function counters(runs: readonly RunRow[]): readonly string[] {
  return [
    texts(runs, (run) => run.run_id),
    values(runs, (run) => run.last_seq),
    values(runs, (run) => run.open_work),
    values(runs, (run) => run.fact_seq),
    values(runs, (run) => run.turn_due_at),
  ];
}

function runColumns(runs: readonly RunRow[]): readonly string[] {
  return [
    texts(runs, (run) => run.status),
    texts(runs, (run) => run.close_reason),
    texts(runs, (run) => run.close_message),
    texts(runs, (run) => run.head_revision_id),
    values(runs, (run) => run.updated_at),
    values(runs, (run) => run.paused),
    values(runs, (run) => run.last_seq),
    values(runs, (run) => run.open_work),
    values(runs, (run) => run.fact_seq),
    values(runs, (run) => run.seen_seq),
    texts(runs, (run) => run.turn_owner),
    values(runs, (run) => run.turn_epoch),
    values(runs, (run) => run.turn_expires_at),
    values(runs, (run) => run.turn_applied_epoch),
    values(runs, (run) => run.turn_failures),
    values(runs, (run) => run.turn_not_before),
    values(runs, (run) => run.turn_due_at),
  ];
}
