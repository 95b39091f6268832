import type { AppTurnInputV1 } from "#core/contracts";
import { ok, type Result } from "#core/values";
import type { TurnClaim } from "./commands.ts";
import type { KernelReader } from "./store/port.ts";

/** The most that one turn is shown; the rest goes to the next turn. */
const shownEvents = 1_000;
const shownPatches = 1_000;
const shownWork = 200;

export interface TurnView {
  readonly input: AppTurnInputV1;
  /** The turn answers for everything up to here. */
  readonly upToSeq: number;
}

/** Reads the input of an app's turn: events since its last answer, open work, and patches that no revision has settled. */
export async function turnInput(read: KernelReader, claim: TurnClaim): Promise<Result<TurnView>> {
  const events = await read.events(claim.run_id, { after: claim.seen_seq, limit: shownEvents });
  if (!events.ok) return events;
  const patches = await read.unappliedPatchIds(claim.run_id, shownPatches);
  if (!patches.ok) return patches;
  const open = await read.openWork(claim.run_id, shownWork);
  if (!open.ok) return open;
  const shown = events.value.filter((event) => event.seq <= claim.up_to_seq);
  const upToSeq = shown.length < shownEvents ? claim.up_to_seq : (shown.at(-1)?.seq ?? claim.up_to_seq);
  return ok({
    upToSeq,
    input: {
      run_id: claim.run_id,
      objective: claim.objective,
      head_revision_id: claim.head_revision_id,
      new_events_since_seq: claim.seen_seq,
      new_events: [...shown],
      unapplied_patch_ids: [...patches.value],
      open_work_summary: open.value.map((item) => ({
        work_id: item.work_id,
        capability: item.capability,
        objective: item.objective,
        status: item.status === "leased" ? "leased" : "queued",
        depends_on: item.depends_on,
        retry_count: item.retry_count,
      })),
      lease_epoch: claim.turn_epoch,
    },
  });
}
