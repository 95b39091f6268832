import { err, ok, type Result } from "#core/values";
import type { ExtendTurn } from "../commands.ts";
import type { Transition, World } from "../transition.ts";
import { heldTurn } from "./held-turn.ts";

/**
 *   claimed ──heartbeat──► claimed      same epoch, later end
 */
export function extendTurn(
  world: World,
  command: ExtendTurn,
): Result<Transition<{ readonly turn_expires_at: number }>> {
  const held = heldTurn(world, command.turn);
  if (!held.ok) return err(held.error);
  const expiresAt = Math.max(held.value.turn_expires_at ?? 0, world.now + command.turn_ms);
  return ok({
    outcome: { turn_expires_at: expiresAt },
    runs: [{ ...held.value, turn_expires_at: expiresAt }],
  });
}
