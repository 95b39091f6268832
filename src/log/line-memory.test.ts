import { expect, test } from "vitest";
import { putCount, viewOf } from "./line-memory.ts";

test("counts are written as JSON writes them, each beside the next larger power of ten", () => {
  const buffer = Buffer.alloc(32, 0x78);
  const edges = Array.from({ length: 16 }, (_, power) => [10 ** power - 1, 10 ** power]).flat();
  for (const count of [...edges, 7, 4_242, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const end = putCount(buffer, count, 3);
    expect(buffer.toString("latin1", 0, end)).toBe(`xxx${count}`);
    buffer.fill(0x78);
  }
});

test("a view of a piece of memory begins where the piece does", () => {
  const whole = Buffer.from("0123456789");
  const view = viewOf(whole.subarray(3, 6));
  expect([view.getUint8(0), view.byteLength]).toEqual([0x33, 3]);
});
