import fc from "fast-check";
import { expect, test } from "vitest";
import { type Hunk, lineDifference } from "./line-difference.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 });

function apply(before: readonly string[], after: readonly string[], hunks: readonly Hunk[]): string[] {
  const made: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    made.push(...before.slice(at, hunk.oldStart), ...after.slice(hunk.newStart, hunk.newEnd));
    at = hunk.oldEnd;
  }
  return [...made, ...before.slice(at)];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      (table[i] as number[])[j] =
        a[i - 1] === b[j - 1]
          ? (table[i - 1]?.[j - 1] ?? 0) + 1
          : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
  return table[a.length]?.[b.length] ?? 0;
}

test("the hunks make one list from the other and keep as many lines as can be kept", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const hunks = lineDifference(before, after);
      expect(apply(before, after, hunks)).toEqual(after);
      const dropped = hunks.reduce((sum, hunk) => sum + hunk.oldEnd - hunk.oldStart, 0);
      expect(before.length - dropped).toBe(longestCommon(before, after));
    }),
    { numRuns: 300 },
  );
});

test("a long text that was rewritten counts as replaced whole, in good time", () => {
  const [before, after] = ["a", "b"].map((name) => Array.from({ length: 20_000 }, (_, line) => `${name}${line}`));
  expect(lineDifference(before as string[], after as string[])).toEqual([
    { oldStart: 0, oldEnd: 20_000, newStart: 0, newEnd: 20_000 },
  ]);
});

test("of several shortest ways it takes the one that earlier patches and blames were made by", () => {
  const ways = [
    ["abcabba", "cbabac"],
    ["abab", "babaab"],
    ["xaxbx", "xbxax"],
  ].map(([before = "", after = ""]) =>
    lineDifference([...before], [...after]).map(({ oldStart, oldEnd, newStart, newEnd }) =>
      [oldStart, oldEnd, newStart, newEnd].join(" "),
    ),
  );
  expect(ways).toEqual([
    ["0 2 0 0", "3 3 1 2", "5 6 4 4", "7 7 5 6"],
    ["0 0 0 1", "2 2 3 4"],
    ["1 3 1 1", "4 4 2 4"],
  ]);
});
