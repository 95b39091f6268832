import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 2: a patch is applied in at most one revision", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const revisions = await world.store.read.revisions(run as RunId);
        const patches = await world.store.read.patches(run as RunId);
        if (!revisions.ok || !patches.ok) throw new Error("cannot read");
        const settled = revisions.value.flatMap((each) => [...each.applied_patch_ids, ...each.rejected_patch_ids]);
        expect(new Set(settled).size).toBe(settled.length);
        for (const patch of patches.value) {
          const home = revisions.value.find((each) => each.applied_patch_ids.includes(patch.patch_id));
          expect(patch.applied_in_revision_id).toBe(home?.revision_id ?? null);
        }
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
