import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { CompleteWork } from "../commands.ts";
import type { PatchRow } from "../records.ts";
import type { EventDraft, Transition, WorkChange, World } from "../transition.ts";
import { endedItem } from "../work-state.ts";
import { endedBefore, heldLease } from "./lease-expiry.ts";
import { opsHash } from "./ops-hash.ts";

/**
 *   leased ──complete──► completed
 *
 * The item's end, its patches and the release of its dependents are one transition: a worker's result is stored whole or
 * not at all.
 */
export function completeWork(world: World, command: CompleteWork): Result<Transition<{ readonly repeated: boolean }>> {
  if (endedBefore(world, command.lease, "completed")) return ok({ outcome: { repeated: true } });
  const held = heldLease(world, command.lease);
  if (!held.ok) return held;
  const { item } = held.value;
  const owner = command.lease.lease_owner;
  const work: WorkChange[] = [{ verb: "end", item: endedItem(item, "completed", owner) }];
  if (item.dependents > 0)
    for (const dependent of world.dependents(item.work_id)) {
      if (dependent.status !== "queued") continue;
      const waiting = dependent.waiting_on - 1;
      const due = dependent.not_before === null || dependent.not_before <= world.now;
      work.push({ verb: "wait", item: { ...dependent, waiting_on: waiting, ready: waiting === 0 && due } });
    }
  const patches: PatchRow[] = [];
  const events: EventDraft[] = [];
  for (const patch of command.patches) {
    const known = world.patch(item.run_id, patch.patch_id);
    if (known && known.author_id !== owner)
      return err(
        domainError(
          "MALFORMED_INPUT",
          `patch ${patch.patch_id} was already submitted by ${known.author_id}: use a new id`,
          {
            details: { run_id: item.run_id, patch_id: patch.patch_id },
          },
        ),
      );
    if (known) continue; // submitted earlier under the same lease
    patches.push({
      patch_id: patch.patch_id,
      run_id: item.run_id,
      author_kind: "worker",
      author_id: owner,
      source_work_id: item.work_id,
      base_revision_id: patch.base_revision_id,
      ops: patch.ops,
      applied_in_revision_id: null,
      rejected_in_revision_id: null,
      created_at: world.now,
    });
    events.push({
      run_id: item.run_id,
      event_type: "patch.submitted",
      actor_id: owner,
      payload: { author_kind: "worker", ops_hash: opsHash(patch.ops), patch_id: patch.patch_id, work_id: item.work_id },
    });
  }
  events.push({
    run_id: item.run_id,
    event_type: "work.completed",
    actor_id: owner,
    payload:
      command.result === undefined
        ? { lease_epoch: item.lease_epoch, work_id: item.work_id }
        : { lease_epoch: item.lease_epoch, result: command.result, work_id: item.work_id },
  });
  return ok({ outcome: { repeated: false }, work, patches, events });
}
