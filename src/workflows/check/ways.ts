import type { Compiled } from "#core/expressions";
import type { Cycle, Phase } from "../definitions/cycle.ts";

/** What an expression comes to whatever happens; undefined when that depends. */
export function settledValue(expression: Compiled): boolean | undefined {
  if (!expression.constant) return undefined;
  const value = expression.evaluate({});
  return value.ok && value.value === true;
}

/** Where a cycle can go from a phase; `null` is its end. */
export function waysFrom(cycle: Cycle, phase: Phase): readonly (Phase | null)[] {
  const ways: (Phase | null)[] = [];
  for (const { from, to, when } of cycle.transitions)
    if (from === phase.id && settledValue(when) !== false) ways.push(cycle.phases.find(({ id }) => id === to) ?? null);
  if (settledValue(phase.advance) === false) return ways;
  const mayEnd = cycle.done !== null && settledValue(cycle.done) !== false;
  if (mayEnd) ways.push(null);
  const next = cycle.phases[cycle.phases.indexOf(phase) + 1];
  if (next) ways.push(next);
  else if (cycle.done === null) ways.push(null);
  return ways;
}

/** Everything that can be reached from a phase, itself excepted unless a loop leads back. */
export function reachableFrom(cycle: Cycle, start: Phase): ReadonlySet<Phase | null> {
  const seen = new Set<Phase | null>();
  const open: Phase[] = [start];
  for (let phase = open.pop(); phase; phase = open.pop())
    for (const way of waysFrom(cycle, phase))
      if (!seen.has(way)) {
        seen.add(way);
        if (way) open.push(way);
      }
  return seen;
}
