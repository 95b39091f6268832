import type { WorkState, WorkStatus } from "./records.ts";

/**
 * The next state of an item, field by field: a spread of seventeen fields cost more than the database update that follows
 * it.
 */
function next(
  item: WorkState,
  status: WorkStatus,
  lease: { readonly owner: string | null; readonly expiresAt: number | null; readonly epoch: number },
  endedBy: string | null,
): WorkState {
  return {
    number: item.number,
    work_id: item.work_id,
    run_id: item.run_id,
    capability: item.capability,
    status,
    lease_owner: lease.owner,
    lease_expires_at: lease.expiresAt,
    lease_epoch: lease.epoch,
    retry_count: item.retry_count,
    max_retries: item.max_retries,
    not_before: item.not_before,
    waiting_on: item.waiting_on,
    dependents: item.dependents,
    ready: false,
    ended_by: endedBy,
  };
}

/** Leased, under the next epoch. */
export function leasedItem(item: WorkState, owner: string, expiresAt: number): WorkState {
  return next(item, "leased", { owner, expiresAt, epoch: item.lease_epoch + 1 }, null);
}

/** An ended item has no lease and cannot be claimed. The epoch stays, so that a late answer is recognised. */
export function endedItem(item: WorkState, status: WorkStatus, endedBy: string | null): WorkState {
  return next(item, status, { owner: null, expiresAt: null, epoch: item.lease_epoch }, endedBy);
}
