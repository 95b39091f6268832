import type { WorkId } from "#core/values";
import type { WorkState } from "../records.ts";
import { type EventDraft, kernelActor, type WorkChange, type World } from "../transition.ts";
import { endedItem } from "../work-state.ts";

/**
 *   queued ──dependency ended without completing──► canceled
 *
 * An item whose dependency never completes would stay open for ever and keep the run from closing. It is canceled with all
 * items that depend on it; each cancellation is a fact, so the app may plan anew. `seen` keeps an item that depends on two
 * ended items of one sweep from being canceled twice.
 */
export function cancelDependents(
  world: World,
  ended: WorkState,
  seen: Set<WorkId> = new Set(),
): { readonly work: readonly WorkChange[]; readonly events: readonly EventDraft[] } {
  const work: WorkChange[] = [];
  const events: EventDraft[] = [];
  const waiting: WorkState[] = [ended];
  for (let cause = waiting.pop(); cause; cause = waiting.pop()) {
    if (cause.dependents === 0) continue;
    for (const item of world.dependents(cause.work_id)) {
      if (item.status !== "queued" || seen.has(item.work_id)) continue;
      seen.add(item.work_id);
      waiting.push(item);
      work.push({ verb: "end", item: endedItem(item, "canceled", null) });
      events.push({
        run_id: item.run_id,
        event_type: "work.canceled",
        actor_id: kernelActor,
        payload: {
          because: ended.work_id,
          lease_epoch: item.lease_epoch,
          reason: "dependency_ended",
          work_id: item.work_id,
        },
      });
    }
  }
  return { work, events };
}
