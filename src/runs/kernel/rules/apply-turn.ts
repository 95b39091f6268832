import { err, ok, type PatchId, type Result, unreachable } from "#core/values";
import type { ApplyTurn } from "../commands.ts";
import type { KernelLimits } from "../limits.ts";
import type { PatchRow, RevisionRow, RunRow } from "../records.ts";
import type { EventDraft, SettledPatch, Transition, WorkChange, World } from "../transition.ts";
import { closeRun } from "./close-run.ts";
import { createRevision } from "./create-revision.ts";
import { heldTurn } from "./held-turn.ts";
import { createBatch, requestItem } from "./request-work.ts";

/**
 *   claimed ──actions──► idle      all of them, or none: the first that is refused refuses the batch
 *
 * The app has then answered for everything up to the seq it was shown; later events make a new turn.
 */
export function applyTurn(
  world: World,
  command: ApplyTurn,
  limits: KernelLimits,
): Result<Transition<{ readonly repeated: boolean }>> {
  const before = world.run(command.turn.run_id);
  if (before && before.turn_applied_epoch === command.turn.turn_epoch) return ok({ outcome: { repeated: true } });
  const held = heldTurn(world, command.turn);
  if (!held.ok) return err(held.error);
  const start = held.value;
  const batch = createBatch(world, start);
  const settled: SettledPatch[] = [];
  const taken = new Set<PatchId>();
  const patches: PatchRow[] = [];
  const revisions: RevisionRow[] = [];
  let run: RunRow = start;
  for (const action of command.actions) {
    switch (action.type) {
      case "noop":
        break;
      case "request_work": {
        const requested = requestItem(run, action, { find: batch.find, now: world.now, limits, actor_id: run.app_id });
        if (!requested.ok) return requested;
        batch.add(requested.value);
        break;
      }
      case "create_revision": {
        const created = createRevision(world, run, action, taken);
        if (!created.ok) return created;
        run = created.value.run;
        revisions.push(created.value.revision);
        patches.push(...created.value.patches);
        settled.push(...created.value.settled);
        for (const patch of created.value.settled) taken.add(patch.patch_id);
        batch.events.push(...created.value.events);
        break;
      }
      case "close_run": {
        // A fact that the app was not shown, such as a person's patch, gets its own turn before the run closes.
        if (action.unless_news && start.fact_seq > command.up_to_seq) break;
        const closed = closeWithin(world, run, batch, action);
        if (!closed.ok) return closed;
        run = closed.value;
        break;
      }
      default:
        return unreachable(action);
    }
  }
  const answered: RunRow = {
    ...run,
    seen_seq: Math.max(start.seen_seq, Math.min(command.up_to_seq, start.last_seq)),
    turn_owner: null,
    turn_expires_at: null,
    turn_applied_epoch: start.turn_epoch,
    turn_failures: 0,
    turn_not_before: 0,
  };
  const completed: EventDraft = {
    run_id: start.run_id,
    event_type: "app.turn.completed",
    actor_id: command.turn.turn_owner,
    payload: {
      actions: command.actions.length,
      seen_seq: answered.seen_seq,
      turn_epoch: start.turn_epoch,
    },
  };
  return ok({
    outcome: { repeated: false },
    runs: [answered],
    work: batch.work,
    patches,
    settled,
    revisions,
    events: [...batch.events, completed],
  });
}

/** Work requested earlier in the same batch counts as open, and is canceled with the rest if the run is forced to close. */
function closeWithin(
  world: World,
  run: RunRow,
  batch: {
    readonly find: (id: string) => WorkChange["item"] | undefined;
    readonly work: WorkChange[];
    readonly events: EventDraft[];
  },
  action: { readonly reason: "completed" | "blocked" | "failed" | "canceled"; readonly message?: string },
): Result<RunRow> {
  const fresh = new Set(batch.work.filter((change) => change.verb === "insert").map((change) => change.item.work_id));
  const open = [...fresh, ...world.openWork(run.run_id).map((item) => item.work_id)]
    .map((workId) => batch.find(workId))
    .filter((item) => item !== undefined && (item.status === "queued" || item.status === "leased"));
  const freshOpen = open.filter((item) => item !== undefined && fresh.has(item.work_id)).length;
  const closing = closeRun(
    { ...run, open_work: run.open_work + freshOpen },
    open.filter((item) => item !== undefined),
    {
      reason: action.reason,
      message: action.message ?? null,
      actor_id: run.app_id,
    },
  );
  if (!closing.ok) return closing;
  batch.work.push(...closing.value.work);
  batch.events.push(...closing.value.events);
  return ok({ ...closing.value.run, open_work: run.open_work });
}
