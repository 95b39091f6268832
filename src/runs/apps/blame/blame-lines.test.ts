import fc from "fast-check";
import { expect, test } from "vitest";
import type { PatchOperationV1 } from "#core/contracts";
import { ok, sha256 } from "#core/values";
import { applyPatches } from "../document/apply-patches.ts";
import { contentHash, pathOf } from "../document/find-section.ts";
import { type Section, SectionTree } from "../document/section-tree.ts";
import { blameLines, type RevisionStep } from "./blame-lines.ts";

/** Patches whose lines are all different, so that a line tells by itself when it came. */
class Authors {
  #count = 0;
  readonly #next: (sides: number) => number;

  constructor(next: (sides: number) => number) {
    this.#next = next;
  }

  line(): string {
    this.#count += 1;
    return `Line ${this.#count}.`;
  }

  patch(document: string): PatchOperationV1 {
    const tree = new SectionTree(document);
    const sections = [...tree.sections()].filter((section) => section.level > 0);
    const some = sections[this.#next(sections.length || 1)];
    const other = sections[this.#next(sections.length || 1)];
    if (!some || !other || sections.length < 3 || this.#next(4) === 0)
      return {
        op: "section.insert",
        heading: this.line(),
        body: `${this.line()}\n\n${this.line()}\n${this.line()}`,
        ...(some ? { after: pathOf(some) } : {}),
      };
    return this.#change(tree, some, other);
  }

  #change(tree: SectionTree, some: Section, other: Section): PatchOperationV1 {
    const section = pathOf(some);
    const body = tree.textOf(some).slice(some.headingEnd).trim();
    switch (this.#next(5)) {
      case 0:
        return { op: "section.delete", section, expected_hash: contentHash(tree, some) };
      case 1:
        return { op: "section.move", section, after: pathOf(other) };
      case 2: {
        const kept = body.split("\n").filter(() => this.#next(3) > 0);
        kept.splice(this.#next(kept.length + 1), 0, this.line());
        return { op: "section.replace", section, body: kept.join("\n") };
      }
      case 3:
        return { op: "front_matter.set", key: `k${this.#next(5)}`, value: this.line() };
      default: {
        const lines = body.split("\n").filter((line) => /^Line \d+\.$/.test(line));
        const find = lines[this.#next(lines.length || 1)] ?? some.heading;
        return {
          op: "text.edit",
          section,
          find,
          replace: this.#next(2) === 0 ? this.line() : `${find}\n${this.line()}`,
        };
      }
    }
  }
}

test("after 200 revisions every line is blamed on the patch that brought it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(9_999)), async (stream) => {
      const authors = new Authors((sides) => (stream.next().value as number) % sides);
      const steps: RevisionStep[] = [];
      /** The naive reference: a line belongs to the patch after which it stood there and before which it did not. */
      let origin = new Map<string, string>();
      let text = "";
      for (let number = 1; number <= 200; number += 1) {
        const base = steps[steps.length - 1 - ((stream.next().value as number) % 3)]?.revision_id ?? null;
        const proposed = (number % 4 === 0 ? [1, 2] : [1]).map((which) => ({
          patch_id: `P${number}.${which}`,
          base_revision_id: base,
          ops: [authors.patch(text)],
        }));
        const applied: typeof proposed = [];
        for (const patch of proposed) {
          const done = applyPatches(text, [patch]);
          if (done.applied.length === 0) continue;
          applied.push({ ...patch, base_revision_id: null });
          const lines = done.text.split("\n");
          origin = new Map(lines.map((line) => [line, origin.get(line) ?? patch.patch_id]));
          text = done.text;
        }
        steps.push({
          revision_id: `R${number}`,
          document: sha256(text),
          patches: applied,
          read: () => Promise.reject(new Error("every line is explained")),
        });
      }
      const blamed = await blameLines(steps);
      const lines = blamed.ok ? blamed.value : [];
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.map((line) => line.text).join("\n")).toBe(text.trimEnd());
      for (const { text: line, patch_id, revision_id } of lines) {
        if (line.trim() !== "" && line !== "---")
          expect({ line, patch_id }).toEqual({ line, patch_id: origin.get(line) });
        expect(revision_id).toBe(`R${patch_id?.slice(1).split(".")[0]}`);
      }
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 10 : 1 },
  );
}, 300_000);

test("what an app wrote without a patch is the revision's own, except for lines that a file of a patch holds", async () => {
  const document = "# Change\n\nintro\n\nconst a = 1;\nconst b = 2;\n";
  const step = (revision_id: string, text: string, ops: PatchOperationV1[]): RevisionStep => ({
    revision_id,
    document: sha256(text),
    patches: ops.map((operation, index) => ({
      patch_id: `${revision_id}-P${index}`,
      base_revision_id: null,
      ops: [operation],
    })),
    read: () => Promise.resolve(ok(text)),
  });
  const write = (content: string): PatchOperationV1 => ({
    op: "file.write",
    path: "a.ts",
    content,
    expected_hash: null,
  });
  const blamed = await blameLines([
    step("R1", document, [write("const a = 1;\nconst b = 2;\n")]),
    step("R2", document.replace("b = 2", "b = 3"), [write("const a = 1;\nconst b = 3;\n")]),
  ]);
  expect(blamed.ok && blamed.value.map(({ text, patch_id }) => [text, patch_id])).toEqual([
    ["# Change", null],
    ["", null],
    ["intro", null],
    ["", null],
    ["const a = 1;", "R1-P0"],
    ["const b = 3;", "R2-P0"],
  ]);
});
