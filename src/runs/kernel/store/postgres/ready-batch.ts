import type { Row } from "#core/database";
import { invariant } from "#core/values";
import type { WorkState } from "../../records.ts";

/** The position of a ready item: the row of `work_ready` that names it, the index in that row, and its own row. */
export interface ReadyPlace {
  readonly row: string;
  readonly nth: number;
  readonly item: string;
}

/** The result of one lane: its numbers, and the items of these numbers. */
export interface ReadyBatch {
  readonly length: number;
  /** The columns of `toReadyWork`; undefined if the item of this number is not ready. */
  row(index: number): readonly [number, ...unknown[]] | undefined;
  /** The position of that item. */
  place(index: number): ReadyPlace;
}

const none: ReadyBatch = { length: 0, row: () => undefined, place: () => ({ row: "", nth: 0, item: "" }) };

/** Reads a row that has a JSON array for each column. */
export function toReadyBatch([, ...texts]: Row): ReadyBatch {
  if (texts[0] === null) return none;
  const [number, row, nth, item, id, epoch, retries, most, due, dependents, objective, input] = texts.map(
    (text) => JSON.parse(text as string) as unknown[],
  ) as [number[], string[], number[], (string | null)[], ...ItemColumns];
  return {
    length: number.length,
    row(at) {
      if (item[at] === null) return undefined;
      return [
        number[at] ?? 0,
        id[at],
        epoch[at],
        retries[at],
        most[at],
        due[at],
        dependents[at],
        objective[at],
        input[at],
      ];
    },
    place: (at) => ({ row: row[at] ?? "", nth: nth[at] ?? 0, item: item[at] ?? "" }),
  };
}

/** The columns of the items. */
type ItemColumns = [unknown[], unknown[], unknown[], unknown[], unknown[], unknown[], unknown[], unknown[]];

/** A row of `work_ready` that was read: up to which index, and which of its items stay ready. */
export interface ReadRow {
  readonly row: string;
  last: number;
  readonly kept: number[];
}

/** The updates of the `work_ready` rows of these items; items of a row that were chosen and not leased stay in it. */
export function readyRows(places: ReadonlyMap<number, ReadyPlace>, leased: readonly WorkState[]): readonly ReadRow[] {
  const rows = new Map<string, ReadRow>();
  const taken = new Set<number>();
  for (const { number } of leased) {
    const place = places.get(number);
    invariant(place, "what is leased was found among the ready");
    taken.add(number);
    const row = rows.get(place.row);
    if (row) row.last = Math.max(row.last, place.nth);
    else rows.set(place.row, { row: place.row, last: place.nth, kept: [] });
  }
  for (const [number, { row, nth }] of places) {
    const read = taken.has(number) ? undefined : rows.get(row);
    if (read && nth < read.last) read.kept.push(number);
  }
  return [...rows.values()];
}
