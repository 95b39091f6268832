import { unreachable, type WorkId } from "#core/values";
import type { NewWork, WorkState } from "../../records.ts";
import type { WorkChange } from "../../transition.ts";

/** The final states of the items that a step changed, grouped by the statement that writes them. */
export interface WorkWrites {
  readonly made: readonly NewWork[];
  /** Only leased: the items of a group have the same written columns. */
  readonly leased: readonly (readonly WorkState[])[];
  /** Leased before, and ended: grouped in the same way. */
  readonly ended: readonly (readonly WorkState[])[];
  readonly changed: readonly WorkState[];
  /** Items with a new lease expiry. */
  readonly watched: readonly WorkState[];
}

type Entry =
  | { readonly as: "made"; readonly item: NewWork }
  | { readonly as: "leased" | "ended" | "changed"; readonly item: WorkState; readonly watched: boolean };

/** A step may change an item more than once, each time in the columns of the verb. Only the final state is written. */
export function workWrites(changes: readonly WorkChange[]): WorkWrites {
  const entries = new Map<WorkId, Entry>();
  for (const change of changes) {
    const id = change.item.work_id;
    entries.set(id, after(entries.get(id), change));
  }
  const made: NewWork[] = [];
  const changed: WorkState[] = [];
  const watched: WorkState[] = [];
  const leased = new Map<string, WorkState[]>();
  const ended = new Map<string, WorkState[]>();
  for (const entry of entries.values()) {
    if (entry.as === "made") made.push(entry.item);
    else {
      const { item } = entry;
      if (entry.as === "changed") changed.push(item);
      else if (entry.as === "leased")
        add(leased, `${item.lease_epoch} ${item.lease_expires_at} ${item.lease_owner}`, item);
      else add(ended, `${item.status} ${item.ended_by}`, item);
      if (entry.watched && item.status === "leased") watched.push(item);
    }
  }
  return { made, leased: [...leased.values()], ended: [...ended.values()], changed, watched };
}

function after(earlier: Entry | undefined, change: WorkChange): Entry {
  if (change.verb === "insert") return { as: "made", item: change.item };
  const watched = change.verb === "lease" || change.verb === "extend";
  if (!earlier) return { as: wayOf(change), item: change.item, watched };
  if (earlier.as === "made") return { as: "made", item: { ...earlier.item, ...touched(change) } };
  return { as: "changed", item: { ...earlier.item, ...touched(change) }, watched: watched || earlier.watched };
}

function wayOf({ verb, item }: WorkChange): "leased" | "ended" | "changed" {
  if (verb === "lease") return "leased";
  return verb === "end" && item.status !== "canceled" ? "ended" : "changed"; // a canceled item may be in any queue
}

function add(groups: Map<string, WorkState[]>, name: string, item: WorkState): void {
  const group = groups.get(name);
  if (group) group.push(item);
  else groups.set(name, [item]);
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
