import { err, ok, type Result, toStorableText } from "#core/values";
import type { FailTurn } from "../commands.ts";
import { backoff, type KernelLimits } from "../limits.ts";
import type { RunRow } from "../records.ts";
import type { EventDraft, Transition, WorkChange, World } from "../transition.ts";
import { closeRun } from "./close-run.ts";
import { heldTurn } from "./held-turn.ts";

/**
 *   claimed ──crash, invalid answer, time over──► idle      due again after a pause that doubles
 *   claimed ──its conductor ends──► idle                   due again at once; not counted as a failure
 *   the same, for the last time──► the run closes as failed, with the reason
 */
export function failTurn(
  world: World,
  command: FailTurn,
  limits: KernelLimits,
): Result<Transition<{ readonly closed: boolean }>> {
  const held = heldTurn(world, command.turn);
  if (!held.ok) return err(held.error);
  const failed = endTurnBadly(world, held.value, {
    limits,
    code: command.code,
    reason: command.reason,
    actor_id: command.turn.turn_owner,
    isCounted: command.handed_back !== true,
  });
  return ok({
    outcome: { closed: failed.run.status === "closed" },
    runs: [failed.run],
    work: failed.work,
    events: failed.events,
  });
}

/** Whether one more failure closes the run; the store then also loads its open work. */
export function isLastTurn(run: RunRow, limits: KernelLimits): boolean {
  return run.turn_failures + 1 >= limits.turnFailureLimit;
}

export function endTurnBadly(
  world: World,
  run: RunRow,
  failure: {
    readonly limits: KernelLimits;
    readonly code: string;
    readonly reason: string;
    readonly actor_id: string;
    /** False when the conductor shut down: the failure is not the app's. */
    readonly isCounted: boolean;
  },
): { readonly run: RunRow; readonly work: readonly WorkChange[]; readonly events: readonly EventDraft[] } {
  const { limits, code, reason, actor_id, isCounted } = failure;
  const failures = run.turn_failures + (isCounted ? 1 : 0);
  const pause = isCounted ? backoff(failures, limits.turnBackoffMs, limits.turnBackoffMaxMs) : 0;
  const idle: RunRow = {
    ...run,
    turn_owner: null,
    turn_expires_at: null,
    turn_failures: failures,
    turn_not_before: world.now + pause,
  };
  const failed: EventDraft = {
    run_id: run.run_id,
    event_type: "app.turn.failed",
    actor_id,
    payload: { code, failures, reason, turn_epoch: run.turn_epoch },
  };
  if (!isCounted || !isLastTurn(run, limits)) return { run: idle, work: [], events: [failed] };
  const closing = closeRun(idle, world.openWork(run.run_id), {
    reason: "failed",
    message: toStorableText(`the app failed ${failures} turns in a row; the last one: ${code}: ${reason}`),
    actor_id,
  });
  if (!closing.ok) return { run: idle, work: [], events: [failed] };
  return { run: closing.value.run, work: closing.value.work, events: [failed, ...closing.value.events] };
}
