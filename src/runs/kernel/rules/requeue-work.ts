import { ok, type Result, type WorkId } from "#core/values";
import type { ReleaseWork, Sweep } from "../commands.ts";
import { backoff, type KernelLimits } from "../limits.ts";
import type { WorkState } from "../records.ts";
import { type EventDraft, kernelActor, type Transition, type WorkChange, type World } from "../transition.ts";
import { endedItem } from "../work-state.ts";
import { cancelDependents } from "./cancel-dependents.ts";
import { heldLease, isExpired } from "./lease-expiry.ts";

/**
 *   leased ──expiry, retries left───► queued     retry_count + 1, ready after a pause that doubles
 *   leased ──expiry, retries spent──► failed
 *
 * A lease that a worker releases is treated as expired at once.
 */
export function requeueItem(
  world: World,
  item: WorkState,
  options: {
    readonly limits: KernelLimits;
    readonly reason: string;
    readonly actor_id: string;
    readonly canceled?: Set<WorkId>;
  },
): { readonly work: readonly WorkChange[]; readonly events: readonly EventDraft[] } {
  const { limits, reason, actor_id } = options;
  if (item.retry_count >= item.max_retries) {
    const followers = cancelDependents(world, item, options.canceled);
    return {
      work: [{ verb: "end", item: endedItem(item, "failed", null) }, ...followers.work],
      events: [
        {
          run_id: item.run_id,
          event_type: "work.failed",
          actor_id,
          payload: { code: "RETRIES_SPENT", lease_epoch: item.lease_epoch, reason, work_id: item.work_id },
        },
        ...followers.events,
      ],
    };
  }
  const retries = item.retry_count + 1;
  const notBefore = world.now + backoff(retries, limits.retryBackoffMs, limits.retryBackoffMaxMs);
  return {
    work: [
      {
        verb: "requeue",
        item: {
          ...item,
          status: "queued",
          lease_owner: null,
          lease_expires_at: null,
          retry_count: retries,
          not_before: notBefore,
          ready: notBefore <= world.now,
        },
      },
    ],
    events: [
      {
        run_id: item.run_id,
        event_type: "work.requeued",
        actor_id,
        payload: {
          lease_epoch: item.lease_epoch,
          not_before: notBefore,
          reason,
          retry_count: retries,
          work_id: item.work_id,
        },
      },
    ],
  };
}

export function sweepLeases(
  world: World,
  _command: Sweep,
  limits: KernelLimits,
): Result<Transition<{ readonly expired: number }>> {
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  const canceled = new Set<WorkId>();
  let expired = 0;
  for (const item of world.expired) {
    if (!isExpired(item, world.now)) continue;
    expired += 1;
    const requeued = requeueItem(world, item, { limits, reason: "lease expired", actor_id: kernelActor, canceled });
    work.push(...requeued.work);
    events.push(...requeued.events);
  }
  return ok({ outcome: { expired }, work, events });
}

export function releaseWork(
  world: World,
  command: ReleaseWork,
  limits: KernelLimits,
): Result<Transition<{ readonly repeated: boolean }>> {
  const held = heldLease(world, command.lease);
  if (!held.ok) return held;
  const requeued = requeueItem(world, held.value.item, {
    limits,
    reason: command.reason,
    actor_id: command.lease.lease_owner,
  });
  return ok({ outcome: { repeated: false }, work: requeued.work, events: requeued.events });
}
