import { describe, expect, test } from "vitest";
import { plantedBugs } from "./planted-bugs.ts";
import { simulate } from "./simulate.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
/** How long this file looks for trouble in the kernel as it is. A campaign goes on for longer, with `npm run simulate`. */
const budgetMs = campaign ? 600_000 : 25_000;
const firstSeed = Number(process.env["WRIT_SEED"] ?? 1);

test("every invariant holds after every step, whatever is lost, late, doubled, paused, killed or full", async () => {
  const started = performance.now();
  let seeds = 0;
  let steps = 0;
  while (performance.now() - started < budgetMs) {
    const result = await simulate({ seed: firstSeed + seeds });
    expect(result.violation, `seed ${result.seed}; again: npm run simulate -- --seed ${result.seed}`).toBeUndefined();
    seeds += 1;
    steps += result.steps;
  }
  console.log(`simulated ${seeds} seeds, ${steps} steps`);
  expect(steps / seeds).toBeGreaterThan(400);
}, 900_000);

test("the same seed is the same story, byte for byte", async () => {
  for (const seed of [3, 14, 159]) {
    const [one, two] = [await simulate({ seed }), await simulate({ seed })];
    expect(two).toEqual(one);
    expect((await simulate({ seed: seed + 1 })).digest).not.toBe(one.digest);
  }
});

describe("the simulation is judged by bugs that are planted into the rules from outside: it finds each within 2,000 seeds", () => {
  for (const bug of plantedBugs)
    test(bug.name, async () => {
      let found: string | undefined;
      let seed = 0;
      while (found === undefined && seed < 2_000) {
        seed += 1;
        found = (await simulate({ seed, bug })).violation;
      }
      console.log(`${bug.name}: seed ${seed}, ${found}`);
      expect(found).toBeDefined();
      expect((await simulate({ seed, bug })).violation, "the failing seed replays exactly").toBe(found);
    }, 300_000);
});
