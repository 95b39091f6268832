import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 6: every write belongs to one run and one actor, and runs never mix", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      const home = new Map<string, string>();
      for (const run of world.model.runs.keys()) {
        const read = world.store.read;
        const [items, patches, revisions] = [
          await read.workItems(run as RunId),
          await read.patches(run as RunId),
          await read.revisions(run as RunId),
        ];
        if (!items.ok || !patches.ok || !revisions.ok) throw new Error("cannot read");
        const ids = [
          ...items.value.map((each) => each.work_id),
          ...patches.value.map((each) => each.patch_id),
          ...revisions.value.map((each) => each.revision_id),
        ];
        for (const id of ids) {
          expect(home.has(id)).toBe(false);
          home.set(id, run);
        }
      }
      for (const run of world.model.runs.keys()) {
        const events = await world.store.read.events(run as RunId, { after: 0, limit: 10_000 });
        if (!events.ok) throw new Error(events.error.message);
        for (const [index, event] of events.value.entries()) {
          expect(event).toMatchObject({ run_id: run, seq: index + 1 });
          expect(event.actor_id).not.toBe("");
          for (const name of ["work_id", "patch_id", "revision_id"])
            if (event.payload[name] !== undefined) expect(home.get(String(event.payload[name]))).toBe(run);
        }
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
