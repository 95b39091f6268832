import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("invariant 5: a closed run has no open work; completed and blocked never cut any off", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const record = await world.store.read.run(run as RunId);
        const items = await world.store.read.workItems(run as RunId);
        const events = await world.store.read.events(run as RunId, { after: 0, limit: 10_000 });
        if (!record.ok || !items.ok || !events.ok) throw new Error("cannot read");
        if (record.value.status !== "closed") continue;
        expect(items.value.filter((item) => item.status === "queued" || item.status === "leased")).toEqual([]);
        const forced = events.value.some(
          (each) => each.event_type === "work.canceled" && each.payload["reason"] === "run_closed",
        );
        if (forced) expect(["failed", "canceled"]).toContain(record.value.close_reason);
        const closed = events.value.findIndex((event) => event.event_type === "run.closed");
        const after = events.value.slice(closed + 1).map((event) => event.event_type);
        expect(after.filter((type) => type !== "app.turn.completed")).toEqual([]);
      }
      await world.close();
    }),
    { numRuns: runs / 4 },
  );
});
