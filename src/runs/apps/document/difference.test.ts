import fc from "fast-check";
import { expect, test } from "vitest";
import { anyBody, anyMarkdown, anyOperation, type Dice } from "../../../../test/support/random-markdown.ts";
import { applyPatches } from "./apply-patches.ts";
import { difference } from "./difference.ts";

const applied = (text: string, ops: ReturnType<typeof difference>) => {
  const done = applyPatches(text, ops.length === 0 ? [] : [{ patch_id: "P", ops }]);
  expect(done.rejections).toEqual([]);
  return done.text;
};

test("the difference of any two documents leads from one to the other, byte for byte", () => {
  fc.assert(
    fc.property(
      anyMarkdown,
      anyMarkdown,
      anyBody,
      fc.array(fc.nat(9_999), { minLength: 9 }),
      (one, other, body, numbers) => {
        let at = 0;
        const dice: Dice = (sides) => (numbers[at++ % numbers.length] as number) % sides;
        const near = applyPatches(
          one,
          [1, 2, 3].map((patch) => ({ patch_id: `P${patch}`, ops: [anyOperation(one, dice, body)] })),
        ).text;
        expect(applied(one, difference(one, near))).toBe(near);
        expect(applied(near, difference(near, one))).toBe(one);
        expect(applied(one, difference(one, other))).toBe(other);
      },
    ),
    { numRuns: 60 },
  );
});

const text = `---
title: A report
---
# Report

Opening words.

## Goals

Be quick.
Be right.

Be kind.

## Findings

Nothing yet.

## Risks

None known.
`;

test("an edit inside a section is a passage of that section, and leaves room for others", () => {
  const mine = difference(text, text.replace("Be right.", "Be exactly right.").replace("A report", "The report"));
  expect(mine).toEqual([
    {
      op: "front_matter.set",
      key: "title",
      value: "The report",
      expected_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    {
      op: "text.edit",
      section: ["Report", "Goals"],
      find: "Be right.\n",
      replace: "Be exactly right.\n",
      before: "\nBe quick.\n",
      after: "\nBe kind.\n",
    },
  ]);
  const theirs = text
    .replace("Be kind.", "Be kind to all.")
    .replace("## Risks", "## Dangers")
    .replace("Opening", "First");
  expect(applied(theirs, mine)).toBe(
    theirs.replace("Be right.", "Be exactly right.").replace("A report", "The report"),
  );
});

test("sections that came, went, moved and were renamed are said as such", () => {
  const after = text
    .replace("## Findings\n\nNothing yet.\n\n", "")
    .replace("## Goals", "## Aims")
    .replace("## Risks\n\nNone known.\n", "")
    .replace(
      "# Report\n\nOpening words.\n\n",
      "# Report\n\nOpening words.\n\n## Risks\n\nNone known.\n\n## New\n\nHere.\n\n### Below\n\nToo.\n\n",
    )
    .trimEnd()
    .concat("\n");
  const ops = difference(text, after);
  expect(ops.map((op) => op.op)).toEqual(["section.delete", "section.move", "section.insert", "text.edit"]);
  expect(applied(text, ops)).toBe(after);
});

test("a file that was emptied, filled, or turned into something else is still a difference", () => {
  for (const other of [
    "",
    "plain",
    "```\nall code",
    "---\na: 1\n---\n",
    `\uFEFF${text}`,
    text.replaceAll("\n", "\r\n"),
  ]) {
    expect(applied(text, difference(text, other))).toBe(other);
    expect(applied(other, difference(other, text))).toBe(text);
  }
});
