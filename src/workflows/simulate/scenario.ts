import type { WorkflowScenarioV1 } from "#core/contracts";

/** Input of a simulation; every part is optional. */
export type Scenario = WorkflowScenarioV1;
export type Happening = NonNullable<WorkflowScenarioV1["phases"]>[string][number];

/** What happens in this visit of a phase; after the last one that the scenario lists, the last is repeated. */
export function happeningIn(scenario: Scenario, phase: string, visit: number): Happening {
  const list = scenario.phases?.[phase] ?? [];
  return list[Math.min(visit, list.length) - 1] ?? {};
}
