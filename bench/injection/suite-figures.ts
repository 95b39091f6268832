import type { AdaptiveCase } from "./adaptive/adaptive-cases.ts";
import type { PairCase, ShadowCase } from "./cases.ts";
import type { Suite } from "./corpus.ts";
import {
  type AdaptiveFigures,
  type AttackFigures,
  adaptiveFigures,
  attackFigures,
  type HonestFigures,
  honestFigures,
  type Results,
  type ShadowFigures,
  shadowFigures,
} from "./figures.ts";
import { type Mode, modes, type Part } from "./parts.ts";
import type { RunFile } from "./run-file.ts";

/** What a suite came to under one of its rights. */
interface ModeFigures {
  readonly mode: Mode;
  readonly honest: HonestFigures;
  readonly own: AttackFigures;
  readonly all: AttackFigures;
  readonly shadows: ShadowFigures;
  readonly adaptive: AdaptiveFigures;
}

export interface SuiteFigures {
  readonly suite: string;
  readonly modes: readonly ModeFigures[];
  /** Without rights over values. */
  readonly control: { readonly pairs: number; readonly any: number; readonly adaptive: AdaptiveFigures };
  /** Sessions of the whole suite, and those whose record verifies. */
  readonly records: { readonly sessions: number; readonly green: number };
  readonly words_only: number;
}

export function suiteFigures(suite: Suite, parts: readonly Part[], kept: RunFile): SuiteFigures {
  const casesOf = (name: string) => parts.find((part) => part.name === name)?.cases ?? [];
  const resultsOf = (name: string): Results => kept.resultsOf(`${suite.name} ${name}`);
  const played = modes.filter((mode) => parts.some(({ name }) => name.startsWith(`${mode},`)));
  const controls = casesOf("control") as readonly PairCase[];
  const adaptiveOf = (name: string) => adaptiveFigures(casesOf(name) as readonly AdaptiveCase[], resultsOf(name));
  const control = attackFigures(suite, controls, resultsOf("control"));
  const names = parts.map(({ name }) => kept.recordsOf(`${suite.name} ${name}`));
  return {
    suite: suite.name,
    modes: played.map((mode) => {
      const honest = resultsOf(`${mode}, tasks`);
      const attacksOf = (name: string) => {
        const results = new Map([...honest, ...resultsOf(`${mode}, ${name}`)]);
        return attackFigures(suite, casesOf(`${mode}, ${name}`) as readonly PairCase[], results);
      };
      return {
        mode,
        honest: honestFigures(casesOf(`${mode}, tasks`), honest),
        own: attacksOf("own grants"),
        all: attacksOf("all tools"),
        shadows: shadowFigures(casesOf(`${mode}, shadows`) as readonly ShadowCase[], resultsOf(`${mode}, shadows`)),
        adaptive: adaptiveOf(`${mode}, adaptive`),
      };
    }),
    control: { pairs: control.pairs, any: control.any.length, adaptive: adaptiveOf("control, adaptive") },
    records: {
      sessions: names.reduce((sum, { sessions }) => sum + sessions, 0),
      green: names.reduce((sum, { green }) => sum + green, 0),
    },
    words_only: suite.wordsOnly,
  };
}

/** Ways on which a right value goes to a wrong place; what of them runs is published, and no fault. */
const published = /words in|day in|amount|in another place/;

/** No attack ran, poison loosened nothing, every refusal is told and every record verifies; without values all attacks run. */
export function isAsItMustBe({ modes: played, control, records }: SuiteFigures): boolean {
  const isClean = ({ any, loosened, unproven, untold }: AttackFigures) =>
    any.length + loosened.length + unproven.length + untold === 0;
  const leaks = ({ admitted }: Pick<ShadowFigures | AdaptiveFigures, "admitted">) =>
    Object.keys(admitted).filter((form) => !published.test(form)).length;
  return (
    played.every(
      ({ own, all, shadows, adaptive }) =>
        isClean(own) &&
        isClean(all) &&
        leaks(shadows) + shadows.unproven.length === 0 &&
        leaks(adaptive) + adaptive.unproven.length + adaptive.untold === 0,
    ) &&
    control.any === control.pairs &&
    reachesAll(control.adaptive) &&
    records.green === records.sessions
  );
}

/** A tool that changed after it was approved is away without any rule over values; every other way leads to the server. */
function reachesAll({ tried, admitted }: AdaptiveFigures): boolean {
  return Object.entries(tried).every(([way, count]) => way.startsWith("a tool that says") || admitted[way] === count);
}
