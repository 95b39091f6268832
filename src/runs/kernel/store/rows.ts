import type { JsonObject, RunId, WorkId } from "#core/values";
import type { PatchState, ReadyWork, RunRow, WorkState } from "../records.ts";

/** The only place where a database row becomes a value. The column order is that of the queries. */
type Column = unknown;

/** SQLite returns 0 or 1 where PostgreSQL returns a boolean. */
function isTrue(column: Column): boolean {
  return column === 1 || column === true;
}

export function toRun(c: readonly Column[]): RunRow {
  return {
    run_id: c[0],
    app_id: c[1],
    objective: c[2],
    status: c[3],
    close_reason: c[4],
    close_message: c[5],
    head_revision_id: c[6],
    created_at: c[7],
    updated_at: c[8],
    paused: isTrue(c[9]),
    last_seq: c[10],
    open_work: c[11],
    fact_seq: c[12],
    seen_seq: c[13],
    turn_owner: c[14],
    turn_epoch: c[15],
    turn_expires_at: c[16],
    turn_applied_epoch: c[17],
    turn_failures: c[18],
    turn_not_before: c[19],
    turn_due_at: c[20],
  } as RunRow;
}

export function toWork(c: readonly Column[]): WorkState {
  return {
    number: c[0],
    work_id: c[1],
    run_id: c[2],
    capability: c[3],
    status: c[4],
    lease_owner: c[5],
    lease_expires_at: c[6],
    lease_epoch: c[7],
    retry_count: c[8],
    max_retries: c[9],
    not_before: c[10],
    waiting_on: c[11],
    dependents: c[12],
    ready: isTrue(c[13]),
    ended_by: c[14],
  } as WorkState;
}

/**
 * A row of a query for the ready work of a run and a capability. The columns that make an item ready (queued, without a lease,
 * waiting on nothing) are equal for all rows, so the query leaves them out. A driver's additional columns come last.
 */
export function toReadyWork(
  { run_id, capability }: { readonly run_id: RunId; readonly capability: string },
  c: readonly Column[],
): ReadyWork {
  return {
    state: {
      number: c[0] as number,
      work_id: c[1] as WorkId,
      run_id,
      capability,
      status: "queued",
      lease_owner: null,
      lease_expires_at: null,
      lease_epoch: c[2] as number,
      retry_count: c[3] as number,
      max_retries: c[4] as number,
      not_before: c[5] as number | null,
      waiting_on: 0,
      dependents: c[6] as number,
      ready: true,
      ended_by: null,
    },
    objective: c[7] as string,
    input: c[8] === null ? null : (JSON.parse(c[8] as string) as JsonObject),
  };
}

export function toPatch(c: readonly Column[]): PatchState {
  return {
    patch_id: c[0],
    run_id: c[1],
    author_id: c[2],
    applied_in_revision_id: c[3],
    rejected_in_revision_id: c[4],
  } as PatchState;
}
