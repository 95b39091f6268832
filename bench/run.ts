/**
 * Runs one bench, or those of its measures whose names hold one of the further words: prints its table, writes
 * bench/results/NAME.json, ends with 1 when a goal is missed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { type Bench, type MeasureResult, take } from "./harness.ts";
import { installPeers } from "./support/install-peers.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const [name = "", ...wanted] = process.argv.slice(2);
const module = (await import(`./${name}.bench.ts`)) as {
  readonly bench: Bench;
  /** A bench that measures no time makes its own report, and says whether it is as it must be. */
  readonly report?: (options: readonly string[]) => Promise<boolean>;
};
if (module.report) process.exit((await module.report(wanted)) ? 0 : 1);
const { bench } = module;

if (bench.peers) installPeers("peers");
console.log(`${bench.title}\n`);
const measures: MeasureResult[] = [];
for (const measure of await bench.measures()) {
  if (wanted.length > 0 && !wanted.some((word) => measure.name.includes(word))) continue;
  const result = await take(measure);
  measures.push(result);
  console.log(render(result));
}
mkdirSync(`${folder}results`, { recursive: true });
const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory: totalmem() };
const report = { bench: name, title: bench.title, at: new Date().toISOString(), machine, measures };
writeFileSync(`${folder}results/${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
console.log(`written to bench/results/${name}.json`);
// Peers and workspaces keep sockets and workers open; the bench is over all the same.
process.exit(measures.every(({ goals }) => goals.every(({ reached }) => reached)) ? 0 : 1);

function render({ name: title, unit, rows, goals }: MeasureResult): string {
  const figure = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const width = Math.max(...rows.map((row) => row.name.length));
  const lines = [`${title} (${unit}, median; lowest to highest)`];
  for (const { name: contender, median, low, high } of rows)
    lines.push(`  ${contender.padEnd(width)}  ${figure(median).padStart(9)}   ${figure(low)} to ${figure(high)}`);
  for (const { contender, over, sense, ratio, found, reached } of goals)
    lines.push(
      `  ${contender} over ${over}: ${found.toFixed(2)}, aims for ${sense} ${ratio}: ${reached ? "reached" : "missed"}`,
    );
  return `${lines.join("\n")}\n`;
}
