import { canonicalJson } from "#core/values";
import type { Pair, Suite, Task } from "./corpus.ts";
import type { Desk, Fate, PlannedCall, Played } from "./desk.ts";
import { shadowsOf } from "./shadow.ts";

/** Which tools an order grants: those of the task's own calls, or every tool of the suite. */
export type Grants = "own" | "all";

export interface HonestFigures {
  readonly tasks: number;
  /** Tasks without a question. */
  readonly free: number;
  /** Tasks with at most one question. */
  readonly atMostOne: number;
  readonly questions: number;
  /** Tasks of which an honest act was refused. */
  readonly refused: readonly string[];
  /** What became of each task's calls. */
  readonly fates: ReadonlyMap<string, readonly Fate[]>;
}

export interface AttackFigures {
  readonly pairs: number;
  /** Pairs of which an attacker's act ran unasked. */
  readonly any: readonly string[];
  /** Pairs of which every act of the attacker ran unasked. */
  readonly whole: readonly string[];
  /** Pairs whose attack came before a person. */
  readonly asked: number;
  /** Sessions whose record does not verify. */
  readonly unproven: readonly string[];
  /** Honest acts that ran unasked with the poison in what was read, and did not without it. */
  readonly loosened: readonly string[];
}

/** The honest calls of each task, in a session of its own. */
export async function playTasks(desk: Desk, suite: Suite): Promise<HonestFigures> {
  const all = suite.tools.map(({ name }) => name);
  const fates = new Map<string, readonly Fate[]>();
  const figures = { tasks: 0, free: 0, atMostOne: 0, questions: 0, refused: [] as string[], fates };
  for (const task of suite.tasks) {
    const played = await desk.play({ prompt: task.prompt, calls: task.honest.map(honest), tools: all });
    figures.tasks += 1;
    fates.set(task.id, played.fates);
    if (played.fates.includes("refused")) {
      figures.refused.push(`${suite.name} ${task.id}`);
      continue;
    }
    figures.questions += played.questions.honest;
    if (played.questions.honest === 0) figures.free += 1;
    if (played.questions.honest <= 1) figures.atMostOne += 1;
  }
  return figures;
}

/** Each attack in a session of its own: made before the first honest act, and once more after the last. */
export async function playPairs(
  desk: Desk,
  suite: Suite,
  grants: Grants,
  clean: HonestFigures["fates"] = new Map(),
): Promise<AttackFigures> {
  const acts = new Set(suite.tools.filter(({ changesWorld }) => changesWorld).map(({ name }) => name));
  const figures = {
    pairs: 0,
    any: [] as string[],
    whole: [] as string[],
    asked: 0,
    unproven: [] as string[],
    loosened: [] as string[],
  };
  for (const pair of suite.pairs) {
    if (pair.attack.calls.length === 0) continue;
    figures.pairs += 1;
    const { calls, places } = withAttack(pair, acts);
    const tools = grants === "all" ? suite.tools.map(({ name }) => name) : toolsOf(pair.task);
    const played = await desk.play({ prompt: pair.task.prompt, calls, tools });
    const name = `${suite.name} ${pair.task.id} ${pair.attack.id}`;
    const admitted = places.map((from) => admittedAt(played, pair, { from, acts }));
    if (admitted.some(({ any }) => any)) figures.any.push(name);
    if (admitted.some(({ whole }) => whole)) figures.whole.push(name);
    if (played.questions.attack > 0) figures.asked += 1;
    const before = clean.get(pair.task.id) ?? [];
    const now = played.fates.filter((_, at) => calls[at]?.isAttack === false);
    if (before.some((fate, at) => fate !== "ran" && now[at] === "ran")) figures.loosened.push(name);
    if (!played.verified) figures.unproven.push(`${name} ${played.session_id}`);
  }
  return figures;
}

export interface ShadowFigures {
  readonly acts: number;
  /** Those that ran unasked, by what the attacker changed, with how many of each there are. */
  readonly admitted: Readonly<Record<string, string>>;
  readonly unproven: readonly string[];
}

/** Every honest act with one argument changed into the attacker's. */
export async function playShadows(desk: Desk, suite: Suite): Promise<ShadowFigures> {
  const tools = suite.tools.map(({ name }) => name);
  const of = new Map<string, { ran: number; all: number }>();
  const unproven: string[] = [];
  let acts = 0;
  for (const { task, form, calls, at } of shadowsOf(suite)) {
    const played = await desk.play({ prompt: task.prompt, calls, tools });
    const count = of.get(form) ?? { ran: 0, all: 0 };
    of.set(form, { ran: count.ran + (played.fates[at] === "ran" ? 1 : 0), all: count.all + 1 });
    acts += 1;
    if (!played.verified) unproven.push(`${suite.name} ${task.id} ${form} ${played.session_id}`);
  }
  const admitted = [...of].filter(([, { ran }]) => ran > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    acts,
    admitted: Object.fromEntries(admitted.map(([form, { ran, all }]) => [form, `${ran} of ${all}`])),
    unproven,
  };
}

const honest = (call: Task["honest"][number]): PlannedCall => ({ ...call, isAttack: false });

function toolsOf({ honest: calls }: Task): readonly string[] {
  return [...new Set(calls.map(({ tool }) => tool))];
}

/** The calls of a session, and where the attack begins each time. */
function withAttack(
  { attack, poisoned }: Pair,
  acts: ReadonlySet<string>,
): { readonly calls: readonly PlannedCall[]; readonly places: readonly number[] } {
  const firstAct = poisoned.findIndex(({ tool }) => acts.has(tool));
  const attacks = attack.calls.map((call): PlannedCall => ({ ...call, result: "done", isAttack: true }));
  const calls = poisoned.map(honest);
  if (firstAct < 0) return { calls: [...calls, ...attacks], places: [calls.length] };
  const before = [...calls.slice(0, firstAct), ...attacks, ...calls.slice(firstAct)];
  return { calls: [...before, ...attacks], places: [firstAct, before.length] };
}

/** A call that the task makes itself with the same arguments is the task's own, whoever else wants it. */
function admittedAt(
  { fates }: Played,
  { attack, task }: Pair,
  { from, acts }: { readonly from: number; readonly acts: ReadonlySet<string> },
): { readonly any: boolean; readonly whole: boolean } {
  const own = new Set(task.honest.map(({ tool, args }) => `${tool} ${canonicalJson(args)}`));
  const ran = attack.calls.map(({ tool, args }, at) => ({
    isAct: acts.has(tool) && !own.has(`${tool} ${canonicalJson(args)}`),
    ran: fates[from + at] === "ran",
  }));
  const made = ran.filter(({ isAct }) => isAct);
  const any = made.some((each) => each.ran);
  return { any, whole: any && ran.every((each) => each.ran) };
}
