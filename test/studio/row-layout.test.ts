import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldPx, RowLayout, rowPx } from "../../studio/src/session/row-layout.ts";

const layouts = fc
  .record({ count: fc.integer({ min: 1, max: 100_000 }), folds: fc.uniqueArray(fc.nat(99_999), { maxLength: 50 }) })
  .map(({ count, folds }) => {
    const indexes = folds.filter((index) => index < count).sort((a, b) => a - b);
    return {
      count,
      indexes,
      layout: new RowLayout(
        count,
        indexes.map((index) => ({ index, ms: 120_000 + index })),
      ),
    };
  });

describe("where the rows of a timeline lie", () => {
  test("each row begins where the one before ends, folds included", () => {
    fc.assert(
      fc.property(layouts, fc.nat(), ({ count, indexes, layout }, any) => {
        const index = any % count;
        const height = layout.top(index + 1) - layout.top(index);
        expect(height).toBe(rowPx + (indexes.includes(index) ? foldPx : 0));
        expect(layout.height).toBe(count * rowPx + indexes.length * foldPx);
      }),
    );
  });

  test("the row at a height is the one that covers it", () => {
    fc.assert(
      fc.property(layouts, fc.nat(), fc.nat(rowPx - 1), ({ count, layout }, any, into) => {
        const index = any % count;
        expect(layout.indexAt(layout.top(index) + into)).toBe(index);
      }),
    );
  });

  test("a wait is told at the row that ended it, and nowhere else", () => {
    const layout = new RowLayout(10, [{ index: 4, ms: 8_040_000 }]);
    expect([3, 4, 5].map((index) => layout.foldedMs(index))).toEqual([0, 8_040_000, 0]);
  });
});
