// npm run simulate -- --seeds 100000 [--from 1] [--bug "no fence"]      or one seed again, told step by step: --seed 42
import { parseArgs } from "node:util";
import { plantedBugs } from "./planted-bugs.ts";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    bug: { type: "string" },
  },
});
const bug = plantedBugs.find((each) => each.name === values.bug);
if (values.bug !== undefined && !bug)
  throw new Error(`no planted bug is called ${values.bug}: ${plantedBugs.map((each) => each.name).join(", ")}`);
const withBug = bug ? { bug } : {};

if (values.seed !== undefined) {
  const result = await simulate({ seed: Number(values.seed), ...withBug, trace: (line) => console.log(line) });
  console.log(result);
  process.exit(result.violation === undefined ? 0 : 1);
}

const from = Number(values.from);
const seeds = Number(values.seeds);
const started = performance.now();
let steps = 0;
let failed = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const result = await simulate({ seed, ...withBug });
  steps += result.steps;
  if (result.violation !== undefined) {
    failed += 1;
    console.log(`seed ${seed}: ${result.violation}`);
    console.log(`  again: npm run simulate -- --seed ${seed}${bug ? ` --bug "${bug.name}"` : ""}`);
    if (failed >= 10) break;
  }
}
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage();
console.log(
  `${seeds} seeds, ${steps} steps, ${failed} failed, ${Math.round(seeds / seconds)} seeds/s (${Math.round((seeds * 1e6) / (user + system))} by processor time), ${Math.round(steps / seeds)} steps a seed`,
);
process.exit(failed === 0 ? 0 : 1);
