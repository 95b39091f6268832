import type { Approval } from "../api/types.ts";

/**
 * A list as its reader has it before them. What is read later changes no place in it: an entry that is decided or over says
 * so where it stands, and what is new is counted until the reader asks for it.
 */
export interface StillList {
  readonly entries: readonly Approval[];
  /** What has come since, the newest last. */
  readonly fresh: readonly Approval[];
}

export const nothingRead: StillList = { entries: [], fresh: [] };

/** `gone`: entries that the server no longer lists as open, whose end is read one by one. */
export function readAgain(
  before: StillList,
  found: readonly Approval[],
): { readonly list: StillList; readonly gone: readonly string[] } {
  const now = new Map(found.map((approval) => [approval.approval_id, approval]));
  const known = new Set(before.entries.map(({ approval_id }) => approval_id));
  const entries = before.entries.map((entry) => {
    const found = now.get(entry.approval_id);
    return found && !isSame(entry, found) ? found : entry;
  });
  const fresh = found.filter(({ approval_id }) => !known.has(approval_id)).toReversed();
  const gone = entries.filter((entry) => entry.state === "open" && !now.has(entry.approval_id));
  return { list: { entries, fresh }, gone: gone.map(({ approval_id }) => approval_id) };
}

/** The reader asks for what is new: it comes below what they have, and what is decided stays until they leave. */
export function withFresh({ entries, fresh }: StillList): StillList {
  return { entries: [...entries, ...fresh], fresh: [] };
}

/** One entry, as it ended. */
export function withEnd(list: StillList, ended: Approval): StillList {
  const before = list.entries.find((entry) => entry.approval_id === ended.approval_id);
  if (!before || isSame(before, ended)) return list;
  return { ...list, entries: list.entries.map((entry) => (entry === before ? ended : entry)) };
}

function isSame(one: Approval, other: Approval): boolean {
  return one.state === other.state && one.choice === other.choice;
}
