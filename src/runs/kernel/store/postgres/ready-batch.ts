import type { Row } from "#core/database";
import { invariant } from "#core/values";
import type { WorkState } from "../../records.ts";

/** Where a ready item lies: which row of `work_ready` names it, at which place, and its own row. */
export interface ReadyPlace {
  readonly row: string;
  readonly nth: number;
  readonly item: string;
}

/** What one lane gave: the numbers that stand in it, and the items behind them. */
export interface ReadyBatch {
  readonly length: number;
  /** In the order of `toReadyWork`; undefined if no ready item stands behind the number. */
  row(index: number): readonly [number, ...unknown[]] | undefined;
  /** Where that item lies. */
  place(index: number): ReadyPlace;
}

const none: ReadyBatch = { length: 0, row: () => undefined, place: () => ({ row: "", nth: 0, item: "" }) };

/** From a row with a JSON array for each column. */
export function toReadyLot([, ...texts]: Row): ReadyBatch {
  if (texts[0] === null) return none;
  const [number, row, nth, item, id, epoch, retries, most, due, dependents, objective, input] = texts.map(
    (text) => JSON.parse(text as string) as unknown[],
  ) as [number[], string[], number[], (string | null)[], ...Lot];
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

/** What there is to know of the items. */
type Lot = [unknown[], unknown[], unknown[], unknown[], unknown[], unknown[], unknown[], unknown[]];

/** A row of `work_ready` that was read: up to which place, and what of it stays all the same. */
export interface ReadRow {
  readonly row: string;
  last: number;
  readonly kept: number[];
}

/** What becomes of the rows that these items stood in, when others were chosen with them and not leased. */
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
