import type { CycleV1, PhaseV1, PolicyV1 } from "../../../src/core/contracts/generated/types.ts";

/** A cycle as `GET /workflows` lists it. */
export interface ListedCycle {
  readonly cycle_id: string;
  readonly title?: string;
  readonly phases: readonly string[];
  readonly file: string;
}

/** Why a definition was not registered. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly hint: string;
}

/** A cycle as `GET /workflows/:id` tells it. */
export interface Cycle {
  readonly cycle_id: string;
  readonly definition: CycleV1;
  readonly entry: string;
  readonly phases: readonly PhaseV1[];
  readonly policies: readonly PolicyV1[];
}

/** The ways of a cycle: each phase to the next in its order, and those that leave the order. */
export function waysOf({ definition }: Cycle): readonly { from: string; to: string; label?: string }[] {
  const { phases, transitions = [] } = definition;
  const forward = phases.slice(1).map((to, index) => ({ from: phases[index] ?? "", to }));
  return [...forward, ...transitions.map(({ from, to, when }) => ({ from, to, label: when }))];
}

export function personasOf(phase: PhaseV1): readonly string[] {
  return (phase.agents_invoked ?? []).map((one) => (typeof one === "string" ? one : one["persona"]));
}
