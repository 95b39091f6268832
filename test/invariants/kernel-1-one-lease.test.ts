import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 1: at most one active lease per work item, and its epochs only grow", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const events = await world.store.read.events(run as RunId, { after: 0, limit: 10_000 });
        if (!events.ok) throw new Error(events.error.message);
        const leased = new Map<unknown, number>(); // item to the epoch of its open lease
        const newest = new Map<unknown, number>();
        for (const { event_type, payload } of events.value) {
          const work = payload["work_id"];
          const epoch = Number(payload["lease_epoch"]);
          if (event_type === "work.leased") {
            expect(leased.has(work)).toBe(false);
            expect(epoch).toBe((newest.get(work) ?? 0) + 1);
            leased.set(work, epoch);
            newest.set(work, epoch);
          } else if (["work.completed", "work.failed", "work.blocked", "work.requeued"].includes(event_type)) {
            expect(leased.get(work)).toBe(epoch); // only the holder of the newest lease is heard
            leased.delete(work);
          } else if (event_type === "work.canceled") leased.delete(work);
        }
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
