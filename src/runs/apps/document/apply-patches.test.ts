import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PatchOperationV1 } from "#core/contracts";

import { anyBody, anyMarkdown, anyOperation, type Dice } from "../../../../test/support/random-markdown.ts";
import { referenceApply } from "../../../../test/support/reference-document.ts";
import { applyPatches } from "./apply-patches.ts";
import { splitLead } from "./lead.ts";
import { SectionTree } from "./section-tree.ts";

const apply = (text: string, ...ops: PatchOperationV1[]) => applyPatches(text, [{ patch_id: "P1", ops }]);
const made = (text: string, ...ops: PatchOperationV1[]) => {
  const { text: after, rejections } = apply(text, ...ops);
  expect(rejections).toEqual([]);
  return after;
};
const refused = (text: string, ...ops: PatchOperationV1[]) => {
  const { text: after, rejections } = apply(text, ...ops);
  expect(after).toBe(text);
  return rejections[0]?.reason ?? "not refused";
};

test("any Markdown is the same bytes again", () => {
  fc.assert(
    fc.property(fc.oneof(anyMarkdown, fc.string({ unit: "binary" })), (text) => {
      expect(new SectionTree(text).text()).toBe(text);
    }),
    { numRuns: 150 },
  );
});

test("over 1,000 patches of several authors, each made on any earlier state, end as the reference says", () => {
  let patchSets = 0;
  fc.assert(
    fc.property(
      anyMarkdown,
      fc.array(fc.tuple(anyBody, fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 })), {
        minLength: 1,
        maxLength: 6,
      }),
      (start, patches) => {
        const states = [start];
        let [text, reference] = [start, start];
        for (const [index, [body, numbers]] of patches.entries()) {
          if (splitLead(text).lead !== "") break; // two rules at the beginning became front matter, which the reference leaves alone
          let at = 0;
          const dice: Dice = (sides) => (numbers[at++ % numbers.length] as number) % sides;
          const seen = states[dice(states.length)] as string;
          const ops = [anyOperation(seen, dice, body), ...(dice(3) === 0 ? [anyOperation(seen, dice, body)] : [])];
          const done = applyPatches(text, [{ patch_id: `P${index}`, ops }]);
          const wanted = referenceApply(reference, ops);
          expect({ ops, before: text, text: done.rejections.length > 0 ? null : done.text }).toEqual({
            ops,
            before: text,
            text: wanted,
          });
          for (const rejection of done.rejections)
            expect(rejection.reason).toMatch(/^operation \d.*expected .*found .*\. \S/s);
          patchSets += 1;
          text = done.text;
          reference = wanted ?? reference;
          states.push(text);
        }
      },
    ),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 5_000 : 300 },
  );
  expect(patchSets).toBeGreaterThan(1_000);
}, 600_000);

describe("a patch", () => {
  test("is applied to a document whose other parts moved meanwhile", () => {
    const moved = "# T\n\nNew opening.\n\n## B\n\nb\n\n## A\n\na1\n\na2\n";
    expect(
      made(
        moved,
        { op: "text.edit", section: ["T", "A"], find: "a1", replace: "a1!", before: "## A\n\n", after: "\n\na2" },
        { op: "section.insert", heading: "C", body: "c", after: ["T", "A"] },
      ),
    ).toBe("# T\n\nNew opening.\n\n## B\n\nb\n\n## A\n\na1!\n\na2\n\n## C\n\nc\n");
  });

  test("keeps line breaks, a missing last one, and everything it does not name", () => {
    const text = "\uFEFF# T\r\n\r\n## A\r\ntext  \r\n\r\n\r\n## B\r\n* x";
    expect(made(text, { op: "section.insert", heading: "C", body: "one\n\ntwo" })).toBe(
      `${text}\r\n\r\n## C\r\n\r\none\r\n\r\ntwo\r\n`,
    );
    expect(made(text, { op: "section.replace", section: ["B"], body: "new" })).toBe(text.replace("* x", "new"));
  });

  test("of a section that changed meanwhile is refused with its reason", () => {
    const old = "## A\n\nold\n";
    const hash = new SectionTree(old);
    const reason = refused("## A\n\nnewer words\n", {
      op: "section.replace",
      section: ["A"],
      body: "mine",
      expected_hash: "0".repeat(64),
    });
    expect(hash.text()).toBe(old);
    expect(reason).toBe(
      'operation 1 (section.replace at "A"): expected the content that the patch was made for in "A"; found other content, changed meanwhile: "newer words". Read the section as it stands now and make the change again on top of it.',
    );
  });

  test("that makes a change which is there already is no conflict", () => {
    const text = "## A\n\nsame\n";
    const stale = { expected_hash: "0".repeat(64) };
    expect(made(text, { op: "section.replace", section: ["A"], body: "same", ...stale })).toBe(text);
    expect(made(text, { op: "text.edit", section: ["A"], find: "other", replace: "same", before: "## A\n\n" })).toBe(
      text,
    );
  });

  test.each<[string, PatchOperationV1, RegExp]>([
    ["names no section", { op: "section.delete", section: ["Goal"] }, /nearest heading is "Goals"/],
    ["names two", { op: "section.delete", section: ["Twin"] }, /found 2 of them/],
    ["would end its own section", { op: "section.replace", section: ["Goals"], body: "# Out" }, /Deepen it to level 3/],
    ["leaves a fence open", { op: "section.insert", heading: "X", body: "```\ncode" }, /inside a code fence/],
    ["looks for words that are gone", { op: "text.edit", find: "gone", replace: "x", before: "aim " }, /found "high/],
    ["looks for words that are there twice", { op: "text.edit", find: "twin text", replace: "x" }, /more than once/],
    ["moves a section into itself", { op: "section.move", section: ["Title"], under: ["Goals"] }, /within "Title"/],
    ["is about files", { op: "file.delete", path: "a", expected_hash: "0".repeat(64) }, /code-change app/],
  ])("that %s is refused with the way out", (_, operation, reason) => {
    const text = "# Title\n\n## Goals\n\naim high\n\n## Twin\n\ntwin text\n\n## Twin\n\ntwin text\n";
    expect(refused(text, operation)).toMatch(reason);
  });

  test("is applied whole or not at all", () => {
    const text = "---\na: 1\n---\n# T\n\nx\n\n## A\n\na\n";
    const ops: PatchOperationV1[] = [
      { op: "front_matter.set", key: "b", value: 2 },
      { op: "section.insert", heading: "New", body: "n" },
      { op: "section.move", section: ["A"], after: ["New"] },
      { op: "text.edit", section: ["A"], find: "a\n", replace: "a\n\n### Sub\n\ns\n" },
      { op: "text.edit", find: "x\n", replace: "y\n" },
      { op: "section.replace", section: [], body: "opening\n" },
    ];
    expect(made(text, ...ops)).toBe(
      "---\na: 1\nb: 2\n---\nopening\n# T\n\ny\n\n## New\n\nn\n\n## A\n\na\n\n### Sub\n\ns\n",
    );
    expect(refused(text, ...ops, { op: "section.delete", section: ["None"] })).toMatch(/^operation 7/);
  });
});

describe("front matter", () => {
  const text = "---\n# kept\ntitle: Old   # why\ntags: [a,  b]\nlong: |\n  x\n  y\nlast: 1\n---\n\nText\n";

  test("changes in the named key and nowhere else", () => {
    expect(made(text, { op: "front_matter.set", key: "title", value: "New: one" })).toBe(
      text.replace("title: Old   # why", 'title: "New: one"'),
    );
    expect(made(text, { op: "front_matter.remove", key: "long" })).toBe(text.replace("long: |\n  x\n  y\n", ""));
    expect(made(text, { op: "front_matter.set", key: "more", value: { a: [1] } })).toBe(
      text.replace("last: 1\n", "last: 1\nmore:\n  a:\n    - 1\n"),
    );
  });

  test("is made where there was none, and survives being emptied", () => {
    const fresh = made("# T\n", { op: "front_matter.set", key: "a", value: 1 });
    expect(fresh).toBe("---\na: 1\n---\n\n# T\n");
    expect(
      made(fresh, { op: "front_matter.remove", key: "a" }, { op: "front_matter.set", key: "b", value: null }),
    ).toBe("---\nb: null\n---\n\n# T\n");
  });

  test("that another patch set meanwhile is a conflict", () => {
    expect(refused(text, { op: "front_matter.set", key: "title", value: "Mine", expected_hash: null })).toMatch(
      /expected no "title".*found ""Old""/,
    );
    expect(refused("---\n- a\n---\n", { op: "front_matter.set", key: "a", value: 1 })).toMatch(/one key per line/);
    expect(refused("---\na: [\n---\n", { op: "front_matter.set", key: "a", value: 1 })).toMatch(/no valid YAML/);
  });
});
