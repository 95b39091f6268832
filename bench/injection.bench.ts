import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readCorpus, type Suite } from "./injection/corpus.ts";
import { piecesOf, playPieces } from "./injection/lanes.ts";
import { tellFigures, writePage } from "./injection/page.ts";
import { type Part, partsOf, rightsFor } from "./injection/parts.ts";
import { RunFile } from "./injection/run-file.ts";
import { runOf } from "./injection/run-of.ts";
import { isAsItMustBe, suiteFigures } from "./injection/suite-figures.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));

/**
 * Prompt injection through real sessions. A model that obeys whatever it reads, a server that replays recorded results with the
 * attack in them, a person who approves exactly the honest acts. Nothing of the corpus is kept.
 */
export async function report(options: readonly string[]): Promise<boolean> {
  const { values: wanted } = parseArgs({
    args: [...options],
    options: {
      corpus: { type: "string" },
      pack: { type: "string", default: "standard" },
      suite: { type: "string" },
      every: { type: "string", default: "1" },
      continue: { type: "boolean", default: false },
      declarations: { type: "string", default: join(folder, "injection/declarations") },
      lanes: { type: "string", default: String(cpus().length) },
      page: { type: "string" },
    },
  });
  const suites = readCorpus(wanted.corpus).filter(({ name }) => wanted.suite === undefined || name === wanted.suite);
  if (suites.length === 0) {
    console.error(
      "npm run bench -- injection --corpus FOLDER [--suite NAME] [--pack strict] [--every N] [--continue] [--page FILE]",
    );
    return false;
  }
  mkdirSync(`${folder}results`, { recursive: true });
  const { pack } = wanted;
  const every = Number(wanted.every);
  const run = runOf({ pack, every, declarations: wanted.declarations });
  const kept = new RunFile(`${folder}results/injection-${run}.jsonl`, { goesOn: wanted.continue });
  const played = suites.map((whole) => {
    const suite = thinned(whole, every);
    return { suite, parts: partsOf(suite, rightsFor(suite, { pack, declarations: wanted.declarations })) };
  });
  await playMissing(played, kept, Number(wanted.lanes));
  const found = played.map(({ suite, parts }) => suiteFigures(suite, parts, kept));
  const good = found.every(isAsItMustBe);
  const figures = { bench: "injection", pack, every, suites: found };
  writeFileSync(`${folder}results/injection-${pack}.json`, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(tellFigures(figures));
  if (wanted.page !== undefined) writePage(wanted.page, figures);
  console.log(`${good ? "as it must be" : "NOT as it must be"}; written to bench/results/injection-${pack}.json`);
  return good;
}

/** Every part of every suite at once: whatever lane is free takes the next piece. */
async function playMissing(
  played: readonly { readonly suite: Suite; readonly parts: readonly Part[] }[],
  kept: RunFile,
  lanes: number,
): Promise<void> {
  const orders = played.flatMap(({ suite, parts }) =>
    parts.flatMap(({ name, cases, values }) => {
      const part = `${suite.name} ${name}`;
      const missing = cases.filter(({ id }) => !kept.resultsOf(part).has(id));
      return piecesOf({ part, all: cases.length, tools: suite.tools, values, cases: missing });
    }),
  );
  await playPieces(orders, lanes, ({ part, all }, piece) => {
    kept.add(part, piece);
    console.error(`${part}: ${kept.resultsOf(part).size} of ${all}`);
  });
}

/** Every so many attacks, for a quick look. */
function thinned(suite: Suite, every: number): Suite {
  return every === 1 ? suite : { ...suite, pairs: suite.pairs.filter((_, at) => at % every === 0) };
}
