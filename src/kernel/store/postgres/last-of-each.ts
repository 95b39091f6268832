import { unreachable, type WorkId } from "#base";
import type { NewWork, WorkState } from "../../records.ts";
import type { WorkChange } from "../../transition.ts";

export interface FinalWork {
  readonly made: readonly NewWork[];
  readonly changed: readonly WorkState[];
}

/** A step may touch an item more than once, each time in the columns that the verb names. What is left behind is written. */
export function lastOfEach(changes: readonly WorkChange[]): FinalWork {
  const made = new Map<WorkId, NewWork>();
  const changed = new Map<WorkId, WorkState>();
  for (const change of changes) {
    const { item } = change;
    const fresh = made.get(item.work_id);
    const earlier = changed.get(item.work_id);
    if (change.verb === "insert") made.set(item.work_id, change.item);
    else if (fresh) made.set(item.work_id, { ...fresh, ...touched(change) });
    else changed.set(item.work_id, earlier ? { ...earlier, ...touched(change) } : item);
  }
  return { made: [...made.values()], changed: [...changed.values()] };
}

function touched({ verb, item }: Exclude<WorkChange, { readonly verb: "insert" }>): Partial<WorkState> {
  const { status, lease_owner, lease_expires_at, lease_epoch, ready } = item;
  const lease = { status, lease_owner, lease_expires_at, lease_epoch, ready };
  switch (verb) {
    case "lease":
      return lease;
    case "extend":
      return { lease_expires_at };
    case "end":
      return { ...lease, ended_by: item.ended_by };
    case "requeue":
      return { ...lease, retry_count: item.retry_count, not_before: item.not_before };
    case "wait":
      return { waiting_on: item.waiting_on, ready };
    case "name":
      return { dependents: item.dependents };
    default:
      return unreachable(verb);
  }
}
