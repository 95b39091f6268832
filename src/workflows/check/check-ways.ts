import type { Cycle } from "../definitions/cycle.ts";
import type { Problem } from "../definitions/problem.ts";
import { reachableFrom, waysFrom } from "./ways.ts";

/** Finds phases that cannot be reached, phases that cannot be left, and loops that nothing ends. */
export function checkWays(cycle: Cycle): readonly Problem[] {
  const { definition } = cycle;
  const reached = reachableFrom(cycle, cycle.entry);
  const problems: Problem[] = [];
  for (const [index, phase] of cycle.phases.entries()) {
    if (phase !== cycle.entry && !reached.has(phase)) {
      problems.push({
        file: definition.file,
        line: definition.lineOf(`$.phases[${index}]`),
        rule: "unreachable-phase",
        message: `nothing leads from ${cycle.entry.id} to ${phase.id}`,
        hint: "let a phase before it advance, or write a transition to it, or take it out",
      });
      continue;
    }
    if (waysFrom(cycle, phase).length === 0)
      problems.push({
        file: phase.definition.file,
        line: phase.definition.lineOf("$.advance_signal"),
        rule: "no-way-out",
        message: `${phase.id} cannot be left in ${cycle.id}: its advance signal is never true and no transition leads away`,
        hint: "mend the signal, or write a transition from it",
      });
    else if (!reachableFrom(cycle, phase).has(null))
      problems.push({
        file: definition.file,
        line: definition.lineOf(`$.phases[${index}]`),
        rule: "no-way-out",
        message: `from ${phase.id} no way leads to the end of ${cycle.id}`,
        hint: "let the last phase advance, or write a done condition that can be true",
      });
  }
  return [...problems, ...unbounded(cycle)];
}

function unbounded(cycle: Cycle): readonly Problem[] {
  const { loop_bounds } = cycle.definition.data;
  if (loop_bounds?.max_generations !== undefined || loop_bounds?.max_phase_visits !== undefined) return [];
  const looping = cycle.phases.find((phase) => reachableFrom(cycle, phase).has(phase));
  if (!looping) return [];
  return [
    {
      file: cycle.definition.file,
      line: cycle.definition.lineOf("$.transitions"),
      rule: "unbounded-loop",
      message: `a loop through ${looping.id} has no bound`,
      hint: "say how often: loop_bounds: { max_generations: 3 }",
    },
  ];
}
