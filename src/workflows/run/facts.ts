import type { JsonObject, JsonValue } from "#core/values";
import type { Aggregate } from "../findings/aggregate.ts";
import { oscillates, regressed } from "../policies/loop-history.ts";
import { type CycleState, type Observed, visitOf } from "./state.ts";

/** How far back `cycle.oscillating` looks; a policy may set its own window. */
const defaultWindow = 4;

/** The variables of expressions in this state. What is not known yet is absent, and an expression that reads it is an error. */
export function factsOf(
  state: CycleState,
  observed: Observed,
  now: { readonly aggregate?: Aggregate | null; readonly output?: JsonValue } = {},
): JsonObject {
  const aggregate = now.aggregate === undefined ? state.aggregate : now.aggregate;
  return {
    input: state.input,
    mode: state.mode,
    outputs: state.outputs,
    ...(now.output === undefined ? {} : { output: now.output }),
    cycle: {
      id: state.cycle.id,
      mode: state.mode,
      generation: state.generation,
      elapsed_seconds: observed.elapsed_seconds,
      oscillating: oscillates(state.history, defaultWindow),
      grade_regressed: regressed(state.history),
      visited: state.visited,
    },
    phase: { id: state.phase.id, visit: visitOf(state) },
    ...(aggregate === null ? {} : { review_aggregate: asJson(aggregate), findings: asJson(aggregate.findings) }),
    history: asJson(state.history),
    budget: asJson(observed.budget),
    context: asJson(observed.context),
    provenance: state.provenance,
    ...(state.approval === null ? {} : { approval: state.approval }),
  };
}

/** Documents of contracts are JSON; their types only say so field by field. */
function asJson(value: object): JsonValue {
  return value as JsonValue;
}
