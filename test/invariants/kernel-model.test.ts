import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "#core/values";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { play } from "../support/kernel-history.ts";
import { anyHistory, runs } from "../support/kernel-ops.ts";

test("whatever is tried, the kernel answers as the reference model does, and its history tells the same as its records", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = await play(history);
      for (const run of world.model.runs.keys()) {
        const verdict = await verifyRun(world.store.read, run as RunId);
        expect(verdict.ok && verdict.value.violations).toEqual([]);
      }
      await world.close();
    }),
    { numRuns: runs },
  );
});
