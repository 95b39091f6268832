// Seed 003, sections 5 and 8: the chain is linear, a patch is settled once, and the document is what its patches make.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PatchOperationV1, PatchV1 } from "#core/contracts";
import type { JsonObject } from "#core/values";
import { builtInApps } from "../../src/runs/apps/built-in-apps.ts";
import { applyPatches } from "../../src/runs/apps/document/apply-patches.ts";
import { AppBench } from "../support/app-bench.ts";
import { GrowingDocument } from "../support/growing-document.ts";
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

/** Waves of 500 patches; WRIT_CAMPAIGN=1 goes on to 10,000. */
const waves = process.env["WRIT_CAMPAIGN"] ? 20 : 6;
const patches = waves * 500;

test(`${patches} patches of several authors on one growing document: each once, in one line, as a list of sections says`, async () => {
  await using bench = new AppBench(writer);
  await bench.start("Anything");
  await bench.settle();
  const before = (await bench.text()).trimEnd();
  const growing = new GrowingDocument(fc.sample(fc.nat(999_999), patches));
  const refused = new Set<string>();
  for (let wave = 0; wave < waves; wave += 1) {
    const proposed = Array.from({ length: 500 }, () => growing.change());
    const patchIds = await Promise.all(
      proposed.map(({ operation }, index) => bench.propose(`author-${index % 5}`, [operation])),
    );
    for (const [index, { isRefused }] of proposed.entries()) if (isRefused) refused.add(patchIds[index] as string);
    await bench.settle();
  }
  expect(await bench.text()).toBe(`${before}\n\n${growing.text()}`);
  const [, ...revisions] = must(await bench.kernel.read.revisions(bench.run_id));
  expect(revisions.length).toBeGreaterThanOrEqual(waves);
  for (const [index, revision] of revisions.slice(1).entries())
    expect(revision.parent_revision_id).toBe(revisions[index]?.revision_id);
  const rejections = revisions.flatMap((revision) => revision.rejections ?? []);
  const settled = revisions.flatMap((revision) => [...revision.applied_patch_ids, ...revision.rejected_patch_ids]);
  expect({ settled: settled.length, different: new Set(settled).size }).toEqual({
    settled: patches,
    different: patches,
  });
  expect(new Set(rejections.map(({ patch_id }) => patch_id))).toEqual(refused);
  expect(rejections.every(({ reason }) => /expected .*found .*\. [A-Z]/s.test(reason))).toBe(true);
  expect({ grew: growing.size > patches / 8, refused: refused.size > patches / 100 }).toEqual({
    grew: true,
    refused: true,
  });
}, 300_000);

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
