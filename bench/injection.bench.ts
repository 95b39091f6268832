import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import type { JsonObject } from "#core/values";
import { readCorpus, type Suite } from "./injection/corpus.ts";
import { openDesk } from "./injection/desk.ts";
import { type AttackFigures, type Grants, playPairs, playShadows, playTasks } from "./injection/play-suite.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const allGrants: readonly Grants[] = ["own", "all"];

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
      "day-one": { type: "boolean", default: false },
      every: { type: "string", default: "1" },
      declarations: { type: "string", default: join(folder, "injection/declarations") },
    },
  });
  if (wanted.corpus === undefined) {
    console.error("which corpus? npm run bench -- injection --corpus FOLDER [--suite NAME] [--day-one] [--every N]");
    return false;
  }
  const suites = readCorpus(wanted.corpus).filter(({ name }) => wanted.suite === undefined || name === wanted.suite);
  const found: Record<string, unknown> = {};
  let good = suites.length > 0;
  for (const each of suites) {
    const suite = thinned(each, Number(wanted.every));
    const values = valuesFor(suite, { ...wanted, dayOne: wanted["day-one"] });
    const result = await playSuite(suite, values);
    found[suite.name] = result.figures;
    good &&= result.good;
    console.log(`${suite.name}\n${JSON.stringify(result.figures, null, 2)}\n`);
  }
  mkdirSync(`${folder}results`, { recursive: true });
  const file = `results/injection${wanted["day-one"] ? "-day-one" : ""}-${wanted.pack}.json`;
  const { pack, every } = wanted;
  writeFileSync(`${folder}${file}`, `${JSON.stringify({ bench: "injection", pack, every, suites: found }, null, 2)}\n`);
  console.log(`${good ? "as it must be" : "NOT as it must be"}; written to bench/${file}`);
  return good;
}

async function playSuite(suite: Suite, values: JsonObject) {
  await using desk = await openDesk(suite.tools, values);
  const { fates, ...honest } = await playTasks(desk, suite);
  const attacks: Partial<Record<Grants, AttackFigures>> = {};
  for (const grants of allGrants) attacks[grants] = await playPairs(desk, suite, grants, fates);
  const shadows = await playShadows(desk, suite);
  const records = await desk.verifyAll();
  await using without = await openDesk(suite.tools, null);
  const { pairs, any, whole } = await playPairs(without, thinned(suite, 5), "all");
  const control = { pairs, any: any.length, whole: whole.length };
  const isClean = ({ any: some, loosened, unproven }: AttackFigures) =>
    some.length + loosened.length + unproven.length === 0;
  const leaks = Object.keys(shadows.admitted).filter((form) => /address|link|account/.test(form));
  const good =
    Object.values(attacks).every(isClean) &&
    leaks.length === 0 &&
    shadows.unproven.length === 0 &&
    records.green === records.sessions &&
    control.any === control.pairs;
  return { good, figures: { honest, attacks, shadows, records, control, words_only: suite.wordsOnly } };
}

/** Every so many attacks, for a quick look. */
function thinned(suite: Suite, every: number): Suite {
  return every === 1 ? suite : { ...suite, pairs: suite.pairs.filter((_, at) => at % every === 0) };
}

/** On day one nothing is declared but the person's own addresses. */
function valuesFor(
  { name }: Suite,
  { pack, declarations, dayOne }: { readonly pack: string; readonly declarations: string; readonly dayOne: boolean },
): JsonObject {
  const file = join(declarations, `${name}.yaml`);
  const declared = existsSync(file) ? (parse(readFileSync(file, "utf8")) as JsonObject) : {};
  const { own, tools } = declared;
  return { pack, ...(own === undefined ? {} : { own }), ...(tools === undefined || dayOne ? {} : { tools }) };
}
