import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 4: app turns of a run are serialised: one ends before the next begins", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const events = await world.store.read.events(run as RunId, { after: 0, limit: 10_000 });
        if (!events.ok) throw new Error(events.error.message);
        let under: unknown = null;
        for (const { event_type, payload } of events.value) {
          if (event_type === "app.turn.started") {
            expect(under).toBeNull();
            under = payload["turn_epoch"];
          } else if (event_type === "app.turn.completed" || event_type === "app.turn.failed") {
            expect(payload["turn_epoch"]).toBe(under);
            under = null;
          } else if (["work.requested", "revision.created"].includes(event_type)) {
            expect(under).not.toBeNull(); // what an app wants is wanted within a turn
          }
        }
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
