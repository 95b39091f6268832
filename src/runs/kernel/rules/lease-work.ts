import { ok, type Result } from "#core/values";
import type { ClaimWork } from "../commands.ts";
import type { Lease } from "../records.ts";
import type { EventDraft, Transition, WorkChange, World } from "../transition.ts";
import { leasedItem } from "../work-state.ts";

/**
 *   queued ──lease──► leased      epoch + 1
 *
 * The store chose candidates by capability, priority and round robin over runs; the rule checks each of them again.
 */
export function leaseWork(world: World, command: ClaimWork): Result<Transition<readonly Lease[]>> {
  const leases: Lease[] = [];
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  const expiresAt = world.now + command.lease_ms;
  const inTier = command.tier === undefined ? undefined : { tier: command.tier };
  for (const { state: candidate, objective, input } of world.ready) {
    if (leases.length >= command.limit) break;
    const run = world.run(candidate.run_id);
    if (!run || run.status === "closed" || run.paused) continue;
    if (candidate.status !== "queued" || !candidate.ready) continue;
    const item = leasedItem(candidate, command.lease_owner, expiresAt);
    const epoch = item.lease_epoch;
    work.push({ verb: "lease", item });
    leases.push({
      run_id: candidate.run_id,
      work_id: candidate.work_id,
      capability: candidate.capability,
      objective,
      input,
      lease_owner: command.lease_owner,
      lease_epoch: epoch,
      lease_expires_at: expiresAt,
      retry_count: candidate.retry_count,
    });
    events.push({
      run_id: candidate.run_id,
      event_type: "work.leased",
      actor_id: command.lease_owner,
      payload: { lease_epoch: epoch, lease_expires_at: expiresAt, ...inTier, work_id: candidate.work_id },
    });
  }
  return ok({ outcome: leases, work, events });
}
