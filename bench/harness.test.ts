import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type Contender, median, take } from "./harness.ts";

const scripted = (name: string, values: number[], order: string[]): Contender => ({
  name,
  role: "writ",
  sample: () => {
    order.push(name);
    return values.shift() ?? Number.NaN;
  },
});

test("contenders take turns, and warm-ups do not count", async () => {
  const order: string[] = [];
  const result = await take({
    name: "m",
    unit: "ms",
    rounds: 2,
    warmups: 1,
    contenders: [scripted("a", [99, 1, 2], order), scripted("b", [99, 10, 20], order)],
    goals: [],
  });
  expect(order).toEqual(["a", "b", "b", "a", "a", "b"]);
  expect(result.rows.map(({ samples }) => samples)).toEqual([
    [1, 2],
    [10, 20],
  ]);
});

test("a goal is judged by the median of the rounds' ratios, so that a slow round does not decide", async () => {
  const result = await take({
    name: "m",
    unit: "ms",
    rounds: 3,
    warmups: 0,
    contenders: [scripted("ours", [12, 120, 13], []), scripted("bare", [10, 100, 10], [])],
    goals: [
      { contender: "ours", over: "bare", ratio: 1.25, sense: "at most" },
      { contender: "ours", over: "bare", ratio: 1.25, sense: "at least" },
    ],
  });
  expect(result.goals).toMatchObject([{ found: 1.2, reached: true }, { reached: false }]);
});

test("the median of an even number of values lies between the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
});

test("every door of the source is built, so that a bench may enter it", () => {
  const root = new URL("../", import.meta.url);
  const doors = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" }).filter((file) =>
    /^[^/]+\/(?:[^/]+\/)?index\.ts$/.test(file),
  );
  expect(doors).toContain("governance/mandate/index.ts");
  expect(doors.filter((door) => !existsSync(new URL(`dist/${door.replace(/ts$/, "js")}`, root)))).toEqual([]);
});
