import { err, ok, type Result } from "#core/values";
import type { LeaseToken, RunRow, WorkState } from "../records.ts";
import type { World } from "../transition.ts";
import { leaseLost, runNotFound, workNotFound } from "./refusals.ts";

export interface HeldLease {
  readonly run: RunRow;
  readonly item: WorkState;
}

/**
 * A lease expires at the millisecond of its end: from then on its worker's commands are refused and the item is free. The
 * sweep returns it to the queue (`requeue-work.ts`).
 */
export function isExpired(item: WorkState, now: number): boolean {
  return item.status === "leased" && item.lease_expires_at !== null && now >= item.lease_expires_at;
}

/**
 * A lease is held while the item is leased to this owner, under this epoch, and has not expired. The epoch alone fences a zombie; the time also fails a worker that was paused past its lease
 * while no other worker has leased the item yet.
 */
export function heldLease(world: World, token: LeaseToken): Result<HeldLease> {
  const run = world.run(token.run_id);
  if (!run) return err(runNotFound(token.run_id));
  const item = world.work(token.run_id, token.work_id);
  if (!item) return err(workNotFound(token.run_id, token.work_id));
  return isHeld(item, token, world.now) ? ok({ run, item }) : err(leaseLost(token, item, world.now));
}

function isHeld(item: WorkState, token: LeaseToken, now: number): boolean {
  return (
    item.status === "leased" &&
    item.lease_owner === token.lease_owner &&
    item.lease_epoch === token.lease_epoch &&
    item.lease_expires_at !== null &&
    !isExpired(item, now)
  );
}

/** Whether this lease already ended the item with this status: the worker lost the answer and repeats the command. */
export function endedBefore(world: World, token: LeaseToken, status: WorkState["status"]): boolean {
  const item = world.work(token.run_id, token.work_id);
  return (
    item !== undefined &&
    item.status === status &&
    item.lease_epoch === token.lease_epoch &&
    item.ended_by === token.lease_owner
  );
}
