import { err, ok, type Result } from "#core/values";
import type { ContinueRun, PauseRun } from "../commands.ts";
import type { RunRow } from "../records.ts";
import type { Transition, World } from "../transition.ts";
import { runClosed, runNotFound } from "./refusals.ts";

/** Pausing is a filter on claims, not a status: existing leases continue, no new lease is given. */
export function pauseRun(world: World, command: PauseRun): Result<Transition<RunRow>> {
  return setPaused(world, command, true);
}

export function continueRun(world: World, command: ContinueRun): Result<Transition<RunRow>> {
  return setPaused(world, command, false);
}

function setPaused(world: World, command: PauseRun | ContinueRun, paused: boolean): Result<Transition<RunRow>> {
  const run = world.run(command.run_id);
  if (!run) return err(runNotFound(command.run_id));
  if (run.status === "closed") return err(runClosed(run));
  if (run.paused === paused) return ok({ outcome: run });
  const changed: RunRow = { ...run, paused };
  return ok({
    outcome: changed,
    runs: [changed],
    events: [
      {
        run_id: run.run_id,
        event_type: paused ? "run.paused" : "run.continued",
        actor_id: command.actor_id,
        payload: {},
      },
    ],
  });
}
