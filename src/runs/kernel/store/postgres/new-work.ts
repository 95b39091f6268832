import type { ClaimWork } from "../../commands.ts";
import type { NewWork, ReadyWork } from "../../records.ts";
import type { WorkingSet } from "../../working-set.ts";

/**
 * Work that a step requested and that a claim of the same transaction may lease before it is inserted as ready: that saves two
 * queries and two rows per item. Undefined if it exceeds the claim, or if other work became ready too: then it is queued.
 */
export function newWork(set: WorkingSet, { capabilities, limit }: ClaimWork): readonly ReadyWork[] | undefined {
  const fresh: NewWork[] = [];
  for (const change of set.changes) {
    const { run_id, work_id, capability } = change.item;
    if (!set.work(run_id, work_id)?.ready || !capabilities.includes(capability)) continue;
    if (change.verb !== "insert" || fresh.length >= limit) return undefined;
    fresh.push(change.item);
  }
  return fresh
    .toSorted((a, b) => b.priority - a.priority)
    .map(({ objective, input, ...state }) => ({
      state: set.work(state.run_id, state.work_id) ?? state,
      objective,
      input,
    }));
}
