import type { EventPayloads } from "#core/contracts";
import type { JsonObject, JsonValue } from "#core/values";
import type { Cycle, Mode, Phase } from "../definitions/cycle.ts";
import type { Aggregate } from "../findings/aggregate.ts";
import type { ReviewedVisit } from "../policies/loop-history.ts";

/** Where a cycle stands. Made anew at every step, from the state before and what was recorded; nothing else goes in. */
export interface CycleState {
  readonly cycle: Cycle;
  readonly mode: Mode;
  readonly input: JsonObject;
  readonly provenance: JsonObject;
  readonly phase: Phase;
  /** How often each phase was reached. */
  readonly visits: Readonly<Record<string, number>>;
  readonly generation: number;
  /** Every phase in the order in which it was reached. */
  readonly visited: readonly string[];
  /** The last review; null before there was one. */
  readonly aggregate: Aggregate | null;
  readonly history: readonly ReviewedVisit[];
  /** What the grade of each policy on the loop came to, time after time. */
  readonly grades: Readonly<Record<string, readonly number[]>>;
  readonly outputs: JsonObject;
  readonly approval: { readonly decision: string; readonly by: string; readonly reason: string } | null;
}

/** What expressions read and the record does not tell by itself. */
export type Observed = EventPayloads["workflow.entered"]["observed"];
export type Gathered = Pick<EventPayloads["workflow.gathered"], "observed" | "findings" | "coverage" | "failures"> & {
  readonly output?: JsonValue;
};

export function beginCycle(input: {
  readonly cycle: Cycle;
  readonly mode: Mode;
  readonly input: JsonObject;
  readonly provenance: JsonObject;
}): CycleState {
  const { cycle } = input;
  return enter(
    {
      ...input,
      phase: cycle.entry,
      visits: {},
      generation: 1,
      visited: [],
      aggregate: null,
      history: [],
      grades: {},
      outputs: {},
      approval: null,
    },
    cycle.entry,
  );
}

/** Whether a step goes back in the order of the phases, or stays where it is: then a new generation begins. */
export function goesBack({ cycle, phase, visited }: CycleState, to: Phase): boolean {
  return visited.length > 0 && cycle.phases.indexOf(to) <= cycle.phases.indexOf(phase);
}

/** The state in the next phase. */
export function enter(state: CycleState, phase: Phase): CycleState {
  const before = state.visits[phase.id] ?? 0;
  return {
    ...state,
    phase,
    visits: { ...state.visits, [phase.id]: before + 1 },
    generation: state.generation + (goesBack(state, phase) ? 1 : 0),
    visited: [...state.visited, phase.id],
    approval: null,
  };
}

export function visitOf(state: CycleState): number {
  return state.visits[state.phase.id] ?? 1;
}
