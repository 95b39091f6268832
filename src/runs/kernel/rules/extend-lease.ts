import { ok, type Result } from "#core/values";
import type { ExtendLease } from "../commands.ts";
import type { Transition, World } from "../transition.ts";
import { heldLease } from "./lease-expiry.ts";

/**
 *   leased ──heartbeat──► leased      same epoch, later end
 *
 * A heartbeat makes no event: it adds nothing to the run's history. It never shortens a lease.
 */
export function extendLease(
  world: World,
  command: ExtendLease,
): Result<Transition<{ readonly lease_expires_at: number }>> {
  const held = heldLease(world, command.lease);
  if (!held.ok) return held;
  const { item } = held.value;
  const expiresAt = Math.max(item.lease_expires_at ?? 0, world.now + command.lease_ms);
  return ok({
    outcome: { lease_expires_at: expiresAt },
    work: [{ verb: "extend", item: { ...item, lease_expires_at: expiresAt } }],
  });
}
