import { ok, type Result } from "#core/values";
import type { ClaimTurn, TurnClaim } from "../commands.ts";
import type { KernelLimits } from "../limits.ts";
import type { RunRow } from "../records.ts";
import { type EventDraft, kernelActor, type Transition, type WorkChange, type World } from "../transition.ts";
import { endTurnBadly } from "./fail-turn.ts";

/**
 *   idle ──new facts──► claimed            epoch + 1, for a bounded time
 *   claimed ──time over──► failed turn ──► claimed anew, or the run closes as failed
 *
 * One claim per run at a time: turns are serialised by the row, and fenced by its epoch.
 */
export function claimTurn(
  world: World,
  command: ClaimTurn,
  limits: KernelLimits,
): Result<Transition<readonly TurnClaim[]>> {
  const claims: TurnClaim[] = [];
  const runs: RunRow[] = [];
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  for (const candidate of world.due) {
    if (claims.length >= command.limit) break;
    let run = candidate;
    if (!isDue(run, world.now)) continue;
    if (run.turn_owner !== null) {
      const failed = endTurnBadly(world, run, {
        limits,
        code: "TURN_EXPIRED",
        reason: `${run.turn_owner} did not answer in time`,
        actor_id: kernelActor,
        isCounted: true,
      });
      run = failed.run;
      work.push(...failed.work);
      events.push(...failed.events);
      if (run.status === "closed" || run.turn_not_before > world.now) {
        runs.push(run);
        continue;
      }
    }
    const claimed: RunRow = {
      ...run,
      turn_owner: command.turn_owner,
      turn_epoch: run.turn_epoch + 1,
      turn_expires_at: world.now + command.turn_ms,
    };
    const tier = command.tiers?.[claimed.app_id];
    runs.push(claimed);
    claims.push({
      run_id: claimed.run_id,
      turn_owner: command.turn_owner,
      turn_epoch: claimed.turn_epoch,
      app_id: claimed.app_id,
      objective: claimed.objective,
      head_revision_id: claimed.head_revision_id,
      seen_seq: claimed.seen_seq,
      up_to_seq: claimed.last_seq,
      turn_expires_at: world.now + command.turn_ms,
      turn_failures: claimed.turn_failures,
    });
    events.push({
      run_id: claimed.run_id,
      event_type: "app.turn.started",
      actor_id: command.turn_owner,
      payload: {
        since_seq: claimed.seen_seq,
        ...(tier === undefined ? {} : { tier }),
        turn_epoch: claimed.turn_epoch,
        up_to_seq: claimed.last_seq,
      },
    });
  }
  return ok({ outcome: claims, runs, work, events });
}

function isDue(run: RunRow, now: number): boolean {
  if (run.status === "closed" || run.paused) return false;
  if (run.turn_owner !== null) return run.turn_expires_at !== null && now >= run.turn_expires_at;
  return run.fact_seq > run.seen_seq && run.turn_not_before <= now;
}
