import type { Event } from "../api/types.ts";
import type { EventWindow } from "./event-window.ts";
import type { Outline } from "./opening.ts";
import { type Fold, idleMs, RowLayout } from "./row-layout.ts";
import type { FoundEvents } from "./use-found.ts";

/** What a timeline shows: every event at its place, or those that a filter found. */
export interface Rows {
  readonly layout: RowLayout;
  at(index: number): Event | undefined;
  /** -1 where the event is not among them. */
  indexOf(seq: number): number;
  /** What is on the screen: fetch it. */
  want(from: number, to: number): void;
}

/** Where the rows of a whole session lie: the same whichever of its events are here. */
export function layoutOfWindow(total: number, outline: Outline | null): RowLayout {
  const folds = (outline?.idle ?? []).map(({ seq, ms }) => ({ index: seq - 1, ms }));
  return new RowLayout(total, folds);
}

export function rowsOfWindow(window: EventWindow, layout: RowLayout): Rows {
  return {
    layout,
    at: (index) => window.at(index + 1),
    indexOf: (seq) => (seq >= 1 && seq <= window.total ? seq - 1 : -1),
    want: (from, to) => window.want(from + 1, to + 1),
  };
}

export function rowsFound(found: FoundEvents): Rows {
  const { events } = found;
  return {
    layout: new RowLayout(events.length, foldsIn(events)),
    at: (index) => events[index],
    indexOf: (seq) => placeOf(events, seq),
    want: (_, to) => {
      if (to >= events.length - 20) found.more();
    },
  };
}

function foldsIn(events: readonly Event[]): readonly Fold[] {
  const folds: Fold[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const [index, event] of events.entries()) {
    const at = Date.parse(event.ts);
    if (at - before > idleMs) folds.push({ index, ms: at - before });
    before = at;
  }
  return folds;
}

function placeOf(events: readonly Event[], seq: number): number {
  let [low, high] = [0, events.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = events[middle]?.seq ?? 0;
    if (found === seq) return middle;
    if (found < seq) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
