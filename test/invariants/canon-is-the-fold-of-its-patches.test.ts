// Seed 003, sections 5 and 8: the chain is linear, a patch is settled once, and the document is what its patches make.
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtInApps } from "#apps";
import type { JsonObject } from "#base";
import type { PatchOperationV1, PatchV1 } from "#schemas";
import { applyPatches } from "../../src/apps/document/apply-patches.ts";
import { AppBench } from "../support/app-bench.ts";
import { must } from "../support/kernel-harness.ts";
import { anyBody, anyOperation } from "../support/random-markdown.ts";
import { referenceApply } from "../support/reference-document.ts";

const writer = builtInApps["writer"];
if (!writer) throw new Error("the writer is built in");

test("1,000 random patches of several authors in any order: a linear chain, no patch twice, a reason for every refusal", async () => {
  await using bench = new AppBench(writer);
  await bench.start("Anything");
  await bench.turn();
  const numbers = fc.sample(fc.nat(9_999), 12_000);
  const bodies = fc.sample(anyBody, 200);
  let at = 0;
  const dice = (sides: number): number => (numbers[at++ % numbers.length] as number) % sides;
  const seen = [await bench.text()];
  for (let number = 1; number <= 1_000; number += 1) {
    const document = seen[Math.max(0, seen.length - 1 - dice(3))] as string;
    const ops = [...Array(1 + dice(2))].map(() => anyOperation(document, dice, bodies[dice(bodies.length)] as string));
    await bench.propose(`author-${dice(5)}`, ops);
    if (dice(8) > 0) continue;
    await bench.turn();
    seen.push(await bench.text());
  }
  await bench.settle();

  const revisions = must(await bench.kernel.read.revisions(bench.run_id));
  const patches = new Map(must(await bench.kernel.read.patches(bench.run_id)).map((patch) => [patch.patch_id, patch]));
  expect(revisions.map((revision) => revision.parent_revision_id)).toEqual([
    null,
    ...revisions.slice(0, -1).map((revision) => revision.revision_id),
  ]);
  const settled = revisions.flatMap((revision) => [...revision.applied_patch_ids, ...revision.rejected_patch_ids]);
  expect(new Set(settled).size).toBe(settled.length);
  expect(new Set(settled)).toEqual(new Set(patches.keys()));
  let rejected = 0;
  let text = "";
  for (const revision of revisions) {
    for (const patchId of revision.rejected_patch_ids) {
      rejected += 1;
      expect(revision.rejections?.find((each) => each.patch_id === patchId)?.reason).toMatch(
        /^operation \d+ .*expected .*found .*\. [A-Z]/s,
      );
    }
    const applied = revision.applied_patch_ids.map((patchId) => patches.get(patchId) as PatchV1);
    for (const { ops } of applied) text = fold(text, ops);
  }
  expect(text).toBe(await bench.text());
  expect({ patches: patches.size, rejected: rejected > 100, applied: settled.length - rejected > 100 }).toEqual({
    patches: 1_001,
    rejected: true,
    applied: true,
  });
}, 300_000);

/** The reference, operation by operation; it leaves front matter to the product's own tests. */
function fold(text: string, ops: readonly PatchOperationV1[]): string {
  return ops.reduce((before, operation) => {
    if (operation.op.startsWith("front_matter."))
      return applyPatches(before, [{ patch_id: "P", ops: [operation] }]).text;
    const isWhole = operation.op === "text.edit" && operation.section === undefined;
    const lead = isWhole ? "" : (/^---\n[\s\S]*?\n---\n/.exec(before)?.[0] ?? "");
    const made = referenceApply(before.slice(lead.length), [operation]);
    if (made === null) throw new Error(`the reference refuses what was applied: ${JSON.stringify(operation)}`);
    return lead + made;
  }, text);
}

/** One of many patches on one document: sections are made, edited, replaced, and then moved or taken away again. */
function operation(number: number, last: "move" | "delete" = "move"): PatchOperationV1 {
  const heading = `Section ${Math.floor(number / 4)}`;
  switch (number % 4) {
    case 0:
      return { op: "section.insert", heading, body: `Words of ${number}.\n\n- a point\n` };
    case 1:
      return { op: "text.edit", section: [heading], find: "a point", replace: "another point", before: "- " };
    case 2:
      return { op: "section.replace", section: [heading], body: `Other words of ${number}.` };
    default:
      return last === "delete"
        ? { op: "section.delete", section: [heading] }
        : { op: "section.move", section: [heading], after: null };
  }
}

test("10,000 patches on one document go through the kernel, the last as cheaply as the first", async () => {
  await using bench = new AppBench(writer);
  await bench.start("Anything");
  await bench.settle();
  const first = await bench.text();
  const costs: number[] = [];
  for (let wave = 0; wave < 4; wave += 1) {
    const before = process.cpuUsage();
    const numbers = Array.from({ length: 2_500 }, (_, index) => wave * 2_500 + index);
    for (let from = 0; from < numbers.length; from += 500)
      await Promise.all(
        numbers.slice(from, from + 500).map((number) => bench.propose("ada", [operation(number, "delete")])),
      );
    await bench.settle();
    const { user, system } = process.cpuUsage(before);
    costs.push(user + system);
  }
  const revisions = must(await bench.kernel.read.revisions(bench.run_id));
  expect(revisions.flatMap((revision) => revision.rejections ?? [])).toEqual([]);
  expect(new Set(revisions.flatMap((revision) => revision.applied_patch_ids)).size).toBe(10_001);
  const numbers = Array.from({ length: 10_000 }, (_, number) => ({
    patch_id: `P${number}`,
    ops: [operation(number, "delete")],
  }));
  const { text } = applyPatches(first, numbers);
  expect(await bench.text()).toBe(text);
  console.log(`µs a patch, by wave: ${costs.map((cost) => Math.round(cost / 2_500)).join(", ")}`);
  expect((costs.at(-1) ?? 0) / Math.min(...costs)).toBeLessThan(2.5); // the document stays small: what grows is the history alone
}, 300_000);

test("10,000 patches on one document cost as much each as 2,500 do", () => {
  const patches = (count: number) =>
    Array.from({ length: count }, (_, number) => ({
      patch_id: `P${number}`,
      ops: [operation(number)],
    }));
  const cost = (count: number): number => {
    const work = patches(count);
    const before = process.cpuUsage();
    const { applied } = applyPatches("# All\n", work);
    const { user } = process.cpuUsage(before);
    expect(applied).toHaveLength(count);
    return user / count;
  };
  cost(500);
  const [few, many] = [Math.min(cost(2_500), cost(2_500)), cost(10_000)];
  expect(many / few).toBeLessThan(2); // four times the patches; a quadratic way would cost four times as much for each
}, 120_000);

test("a patch keeps its operations as they were handed in", async () => {
  await using bench = new AppBench(writer);
  await bench.start("Anything");
  await bench.turn();
  const ops: PatchOperationV1[] = [{ op: "section.insert", heading: "A", body: "b\r\n" }];
  const patchId = await bench.propose("ada", ops);
  expect(must(await bench.kernel.read.patch(bench.run_id, patchId)).ops).toEqual(ops);
  const unknown = [{ ...ops[0], surprise: true }] as unknown as JsonObject[];
  const refused = await bench.kernel.submitPatch({
    run_id: bench.run_id,
    author_kind: "user",
    author_id: "ada",
    base_revision_id: null,
    ops: unknown,
  });
  expect(refused).toMatchObject({ ok: false, error: { code: "SCHEMA_VIOLATION" } });
});
