import type { Pair, Suite, Task } from "./corpus.ts";
import type { Case, PlannedCall } from "./desk.ts";
import { shadowsOf } from "./shadow.ts";

/** Which tools an order grants: those of the task's own calls, or every tool of the suite. */
export type Grants = "own" | "all";

/** A case under the name by which its result is kept. */
export interface NamedCase extends Case {
  readonly id: string;
}

/** The honest calls of each task, in a session of its own. */
export function taskCases(suite: Suite): readonly NamedCase[] {
  const tools = suite.tools.map(({ name }) => name);
  return suite.tasks.map((task) => ({
    id: task.id,
    prompt: task.prompt,
    calls: task.honest.map(honestly),
    tools,
  }));
}

/** An attack in a session of its own: made before the first honest act, and once more after the last. */
export interface PairCase extends NamedCase {
  readonly pair: Pair;
  /** Where the attack begins each time. */
  readonly places: readonly number[];
}

export function pairCases(suite: Suite, grants: Grants): readonly PairCase[] {
  const acts = actsOf(suite);
  const all = suite.tools.map(({ name }) => name);
  return suite.pairs
    .filter(({ attack }) => attack.calls.length > 0)
    .map((pair) => ({
      id: `${pair.task.id} ${pair.attack.id} ${grants}`,
      prompt: pair.task.prompt,
      ...withAttack(pair, acts),
      tools: grants === "all" ? all : toolsOf(pair.task),
      pair,
    }));
}

/** Every honest act with one argument changed into the attacker's. */
export interface ShadowCase extends NamedCase {
  readonly form: string;
  /** Which of the calls is the attacker's. */
  readonly at: number;
}

export function shadowCases(suite: Suite): readonly ShadowCase[] {
  const tools = suite.tools.map(({ name }) => name);
  return shadowsOf(suite).map(({ task, form, calls, at }, index) => ({
    id: `${task.id} shadow ${index} ${form}`,
    prompt: task.prompt,
    calls,
    tools,
    form,
    at,
  }));
}

/** The tools of a suite that change the world. */
export function actsOf({ tools }: Suite): ReadonlySet<string> {
  return new Set(tools.filter(({ changesWorld }) => changesWorld).map(({ name }) => name));
}

const honestly = (call: Task["honest"][number]): PlannedCall => ({ ...call, isAttack: false });

function toolsOf({ honest: calls }: Task): readonly string[] {
  return [...new Set(calls.map(({ tool }) => tool))];
}

function withAttack({ attack, poisoned }: Pair, acts: ReadonlySet<string>): Pick<PairCase, "calls" | "places"> {
  const firstAct = poisoned.findIndex(({ tool }) => acts.has(tool));
  const attacks = attack.calls.map((call): PlannedCall => ({ ...call, result: "done", isAttack: true }));
  const calls = poisoned.map(honestly);
  if (firstAct < 0) return { calls: [...calls, ...attacks], places: [calls.length] };
  const before = [...calls.slice(0, firstAct), ...attacks, ...calls.slice(firstAct)];
  return { calls: [...before, ...attacks], places: [firstAct, before.length] };
}
