import { ok, type Result } from "#base";
import type { ClaimWork } from "../commands.ts";
import type { Lease } from "../records.ts";
import type { EventDraft, Transition, WorkChange, World } from "../transition.ts";

/**
 *   queued ──lease──► leased      epoch + 1
 *
 * The store chose candidates by capability, priority and turn of the runs; here each is looked at once more.
 */
export function leaseWork(world: World, command: ClaimWork): Result<Transition<readonly Lease[]>> {
  const leases: Lease[] = [];
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  const expiresAt = world.now + command.lease_ms;
  for (const candidate of world.ready) {
    if (leases.length >= command.limit) break;
    const run = world.run(candidate.run_id);
    if (!run || run.status === "closed" || run.paused) continue;
    if (candidate.status !== "queued" || !candidate.ready) continue;
    const epoch = candidate.lease_epoch + 1;
    work.push({
      verb: "lease",
      item: {
        ...candidate,
        status: "leased",
        lease_owner: command.lease_owner,
        lease_expires_at: expiresAt,
        lease_epoch: epoch,
        ready: false,
      },
    });
    leases.push({
      run_id: candidate.run_id,
      work_id: candidate.work_id,
      capability: candidate.capability,
      objective: candidate.objective,
      input: candidate.input,
      lease_owner: command.lease_owner,
      lease_epoch: epoch,
      lease_expires_at: expiresAt,
      retry_count: candidate.retry_count,
    });
    events.push({
      run_id: candidate.run_id,
      event_type: "work.leased",
      actor_id: command.lease_owner,
      payload: { lease_epoch: epoch, lease_expires_at: expiresAt, work_id: candidate.work_id },
    });
  }
  return ok({ outcome: leases, work, events });
}
