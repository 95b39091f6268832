import type { ClaimWork } from "../../commands.ts";
import type { NewWork, ReadyWork } from "../../records.ts";
import type { WorkingSet } from "../../working-set.ts";

/**
 * What a step asked for and a claim of the same transaction may take before it is ever written down as ready: that spares an
 * item two looks and two rows. Undefined if it would not fit, or other work became ready too: then it stands in line.
 */
export function freshWork(set: WorkingSet, { capabilities, limit }: ClaimWork): readonly ReadyWork[] | undefined {
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
