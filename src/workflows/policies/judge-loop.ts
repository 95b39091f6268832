import type { JsonObject } from "#base";
import type { Policy } from "../definitions/cycle.ts";
import { decide, type PolicyDecision, withParameters } from "./decision.ts";

/** One time that a reviewing phase came to an end. */
export interface Past {
  readonly generation: number;
  readonly phase: string;
  readonly grade: number;
  readonly fingerprints: readonly string[];
}

/** Whether the findings go back and forth: the last are those of some turn before, but not of the one just before. */
export function oscillates(history: readonly Past[], window: number): boolean {
  const last = history.at(-1);
  if (!last || last.fingerprints.length === 0) return false;
  const same = history.filter(({ phase }) => phase === last.phase).slice(-window - 1, -1);
  const before = same.at(-1);
  if (!before || equal(before.fingerprints, last.fingerprints)) return false;
  return same.slice(0, -1).some(({ fingerprints }) => equal(fingerprints, last.fingerprints));
}

/** Whether the grade fell since the last time in the same phase. */
export function regressed(history: readonly Past[]): boolean {
  const last = history.at(-1);
  const before = history.slice(0, -1).findLast(({ phase }) => phase === last?.phase);
  return last !== undefined && before !== undefined && last.grade < before.grade;
}

/**
 * loop-halt. Its parameters are bounds by themselves: more generations than allowed, findings that go back and forth within
 * the window, or a grade that falls, end the loop whatever the rules say. Then the rules; deny ends it too.
 */
export function judgeLoop(
  policy: Policy,
  facts: JsonObject,
  loop: { readonly generation: number; readonly history: readonly Past[]; readonly grades: readonly number[] },
): PolicyDecision {
  const { max_generations, oscillation_window } = policy.definition.data.parameters ?? {};
  const halt = (reason: string): PolicyDecision => ({
    policy,
    decision: "halt",
    reason,
    rule: null,
    subject: null,
    failures: [],
  });
  if (max_generations !== undefined && loop.generation > max_generations)
    return halt(`generation ${loop.generation} of at most ${max_generations}`);
  if (oscillation_window !== undefined && oscillates(loop.history, oscillation_window))
    return halt(`the findings go back and forth within ${oscillation_window} turns`);
  const [grade, before] = [loop.grades.at(-1), loop.grades.at(-2)];
  if (policy.grade && grade !== undefined && before !== undefined && grade < before)
    return halt(`the grade fell from ${before} to ${grade}`);
  return decide(policy, withParameters(policy, facts));
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
