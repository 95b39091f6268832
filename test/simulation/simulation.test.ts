import { describe, expect, test } from "vitest";
import { plantedBugs } from "./planted-bugs.ts";
import { simulate } from "./simulate.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
/** How many stories this file looks through for trouble in the kernel as it is. A campaign goes on for longer, with `npm run simulate`. */
const seeds = campaign ? 12_000 : 200;
const firstSeed = Number(process.env["WRIT_SEED"] ?? 1);

test("every invariant holds after every step, whatever is lost, late, doubled, paused, killed or full", async () => {
  let steps = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const result = await simulate({ seed });
    expect(result.violation, `seed ${result.seed}; again: npm run simulate -- --seed ${result.seed}`).toBeUndefined();
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
