import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { TurnToken } from "../commands.ts";
import type { RunRow } from "../records.ts";
import type { World } from "../transition.ts";
import { runClosed, runNotFound } from "./refusals.ts";

/** The same fence as for work: the actions are refused unless owner, epoch and time match. */
export function heldTurn(world: World, token: TurnToken): Result<RunRow> {
  const run = world.run(token.run_id);
  if (!run) return err(runNotFound(token.run_id));
  if (run.status === "closed") return err(runClosed(run));
  const held =
    run.turn_owner === token.turn_owner &&
    run.turn_epoch === token.turn_epoch &&
    run.turn_expires_at !== null &&
    world.now < run.turn_expires_at;
  if (held) return ok(run);
  return err(
    domainError(
      "LEASE_LOST",
      `${token.turn_owner} no longer holds the turn ${token.turn_epoch} of run ${run.run_id}: its time ran out, and the app is asked again`,
      { details: { run_id: run.run_id, turn_epoch: token.turn_epoch, current_epoch: run.turn_epoch } },
    ),
  );
}
