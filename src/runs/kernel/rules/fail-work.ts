import { ok, type Result } from "#core/values";
import type { BlockWork, FailWork } from "../commands.ts";
import type { Transition, World } from "../transition.ts";
import { endedItem } from "../work-state.ts";
import { cancelDependents } from "./cancel-dependents.ts";
import { endedBefore, heldLease } from "./lease-expiry.ts";

/**
 *   leased ──fail───► failed      the worker reports that it cannot be done; a retry is new work, which the app may request
 *   leased ──block──► blocked     the worker reports that something outside must happen first
 */
export function failWork(world: World, command: FailWork): Result<Transition<{ readonly repeated: boolean }>> {
  return endBadly(world, command, "failed");
}

export function blockWork(world: World, command: BlockWork): Result<Transition<{ readonly repeated: boolean }>> {
  return endBadly(world, command, "blocked");
}

function endBadly(
  world: World,
  command: FailWork | BlockWork,
  status: "failed" | "blocked",
): Result<Transition<{ readonly repeated: boolean }>> {
  if (endedBefore(world, command.lease, status)) return ok({ outcome: { repeated: true } });
  const held = heldLease(world, command.lease);
  if (!held.ok) return held;
  const { item } = held.value;
  const owner = command.lease.lease_owner;
  const followers = cancelDependents(world, item);
  const code = command.kind === "fail_work" ? command.code : undefined;
  return ok({
    outcome: { repeated: false },
    work: [{ verb: "end", item: endedItem(item, status, owner) }, ...followers.work],
    events: [
      {
        run_id: item.run_id,
        event_type: status === "failed" ? "work.failed" : "work.blocked",
        actor_id: owner,
        payload: {
          ...(code === undefined ? {} : { code }),
          lease_epoch: item.lease_epoch,
          reason: command.reason,
          work_id: item.work_id,
        },
      },
      ...followers.events,
    ],
  });
}
