import type { WorkflowScenarioV1 } from "#core/contracts";

/** What a simulation is given: nothing of it has to be there. */
export type Scenario = WorkflowScenarioV1;
export type Happening = NonNullable<WorkflowScenarioV1["phases"]>[string][number];

/** What happens in this visit of a phase; after the last that is told, the same again. */
export function happeningIn(scenario: Scenario, phase: string, visit: number): Happening {
  const list = scenario.phases?.[phase] ?? [];
  return list[Math.min(visit, list.length) - 1] ?? {};
}
