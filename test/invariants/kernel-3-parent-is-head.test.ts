import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 3: a revision's parent is the head at its commit, so the chain never forks", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const revisions = await world.store.read.revisions(run as RunId);
        const record = await world.store.read.run(run as RunId);
        if (!revisions.ok || !record.ok) throw new Error("cannot read");
        let head: string | null = null;
        for (const revision of revisions.value) {
          expect(revision.parent_revision_id).toBe(head);
          head = revision.revision_id;
        }
        expect(record.value.head_revision_id).toBe(head);
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
