import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { StartRun } from "../commands.ts";
import type { RunRow } from "../records.ts";
import type { Transition, World } from "../transition.ts";

/** ∅ ──start──► active. The same id with the same content is the same run. */
export function startRun(world: World, command: StartRun): Result<Transition<RunRow>> {
  const known = world.run(command.run_id);
  if (known) {
    if (known.app_id === command.app_id && known.objective === command.objective) return ok({ outcome: known });
    return err(
      domainError(
        "MALFORMED_INPUT",
        `run ${command.run_id} exists already with another app or objective: use a new id`,
        {
          details: { run_id: command.run_id },
        },
      ),
    );
  }
  const run: RunRow = {
    run_id: command.run_id,
    app_id: command.app_id,
    objective: command.objective,
    status: "active",
    close_reason: null,
    close_message: null,
    head_revision_id: null,
    created_at: world.now,
    updated_at: world.now,
    paused: false,
    last_seq: 0,
    open_work: 0,
    fact_seq: 0,
    seen_seq: 0,
    turn_owner: null,
    turn_epoch: 0,
    turn_expires_at: null,
    turn_applied_epoch: 0,
    turn_failures: 0,
    turn_not_before: 0,
    turn_due_at: null,
  };
  return ok({
    outcome: run,
    runs: [run],
    events: [
      {
        run_id: run.run_id,
        event_type: "run.started",
        actor_id: command.actor_id,
        payload: { app_id: run.app_id, objective: run.objective },
      },
    ],
  });
}
