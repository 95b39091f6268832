import { expect, test } from "vitest";
import type { WorkState } from "../../records.ts";
import { readyRows, toReadyBatch } from "./ready-batch.ts";

const leased = (...numbers: readonly number[]) => numbers.map((number) => ({ number }) as WorkState);
const places = new Map(
  [7, 8, 9, 12].map((number, index) => [number, { row: "(0,1)", nth: index + 1, item: `(3,${number})` }]),
);

test("of a row of ready work stays what lies behind the last item that was taken, and what was passed over before it", () => {
  expect(readyRows(places, leased(7, 8))).toEqual([{ row: "(0,1)", last: 2, kept: [] }]);
  expect(readyRows(places, leased(7, 12))).toEqual([{ row: "(0,1)", last: 4, kept: [8, 9] }]);
  const two = new Map([...places, [20, { row: "(0,2)", nth: 1, item: "(3,20)" }] as const]);
  expect(readyRows(two, leased(20))).toEqual([{ row: "(0,2)", last: 1, kept: [] }]);
});

test("a number without a ready item behind it is read and passed over", () => {
  const columns = [
    [7, 8],
    ["(0,1)", "(0,1)"],
    [1, 2],
    [null, "(3,8)"],
    [null, "WRK-8"],
    ...Array.from({ length: 7 }, () => [null, 0]),
  ];
  const batch = toReadyBatch([1, ...columns.map((column) => JSON.stringify(column))]);
  expect([batch.length, batch.row(0), batch.row(1)?.slice(0, 2)]).toEqual([2, undefined, [8, "WRK-8"]]);
  expect(batch.place(1)).toEqual({ row: "(0,1)", nth: 2, item: "(3,8)" });
  expect(toReadyBatch([1, ...columns.map(() => null)]).length).toBe(0);
});
