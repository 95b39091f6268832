import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { CancelRun } from "../commands.ts";
import type { CloseReason, RunRow, WorkState } from "../records.ts";
import type { EventDraft, Transition, WorkChange, World } from "../transition.ts";
import { endedItem } from "../work-state.ts";
import { runClosed, runNotFound } from "./refusals.ts";

export interface Closing {
  readonly run: RunRow;
  readonly work: readonly WorkChange[];
  readonly events: readonly EventDraft[];
}

export interface CloseOrder {
  readonly reason: CloseReason;
  readonly message: string | null;
  readonly actor_id: string;
}

/**
 *   active ──completed | blocked──► closed      refused while work is open
 *   active ──failed | canceled────► closed      open work is canceled in the same transaction
 *
 * `open` is the run's open work; it may be empty for completed and blocked, which are refused while work is open.
 */
export function closeRun(run: RunRow, open: readonly WorkState[], order: CloseOrder): Result<Closing> {
  if (run.status === "closed") return err(runClosed(run));
  const forced = order.reason === "failed" || order.reason === "canceled";
  if (!forced && run.open_work > 0)
    return err(
      domainError(
        "RUN_HAS_OPEN_WORK",
        `run ${run.run_id} cannot close as ${order.reason} while ${run.open_work} work item(s) are open: wait for them, or close it as failed or canceled`,
        { details: { run_id: run.run_id, open_work: run.open_work } },
      ),
    );
  const canceled = open.map((item) => endedItem(item, "canceled", null));
  return ok({
    run: {
      ...run,
      status: "closed",
      close_reason: order.reason,
      close_message: order.message,
      turn_owner: null,
      turn_expires_at: null,
    },
    work: canceled.map((item) => ({ verb: "end", item })),
    events: [
      ...canceled.map(
        (item): EventDraft => ({
          run_id: run.run_id,
          event_type: "work.canceled",
          actor_id: order.actor_id,
          payload: { lease_epoch: item.lease_epoch, reason: "run_closed", work_id: item.work_id },
        }),
      ),
      {
        run_id: run.run_id,
        event_type: "run.closed",
        actor_id: order.actor_id,
        payload: { ...(order.message === null ? {} : { message: order.message }), reason: order.reason },
      },
    ],
  });
}

/** A person ends the run. */
export function cancelRun(world: World, command: CancelRun): Result<Transition<RunRow>> {
  const run = world.run(command.run_id);
  if (!run) return err(runNotFound(command.run_id));
  if (run.status === "closed" && run.close_reason === "canceled") return ok({ outcome: run });
  const closing = closeRun(run, world.openWork(run.run_id), {
    reason: "canceled",
    message: command.message ?? null,
    actor_id: command.actor_id,
  });
  if (!closing.ok) return closing;
  return ok({
    outcome: { ...closing.value.run, open_work: 0 },
    runs: [closing.value.run],
    work: closing.value.work,
    events: closing.value.events,
  });
}
