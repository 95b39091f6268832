import { expect, test } from "vitest";
import { GiveWay } from "../../studio/src/verify/give-way.ts";

test("the proof waits between two slices while the page moves, and no longer", async () => {
  let now = 0;
  const waits: number[] = [];
  const way = new GiveWay({
    now: () => now,
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  await way.turn();
  way.moved();
  await way.turn();
  now += 200;
  await way.turn();
  now += 100; // nobody moved it for longer than a moment
  await way.turn();
  expect(waits).toEqual([0, 40, 40, 0]);
});
