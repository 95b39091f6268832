import type { SchemaRegistry } from "#core/contracts";
import type { Compiled } from "#core/expressions";
import type { JsonObject, JsonValue } from "#core/values";
import { isTrue, type SignalFailure } from "../policies/decision.ts";
import type { Outcome } from "./judge.ts";
import type { CycleState } from "./state.ts";

/** Why a phase is not begun. */
export interface Stop {
  readonly outcome: Extract<Outcome, { readonly kind: "abort" }>;
  readonly failures: readonly SignalFailure[];
}

/** Checks the cycle's entry condition before its first phase, and the phase's schema of its input. */
export function mayBegin(schemas: SchemaRegistry, state: CycleState, facts: JsonObject): Stop | undefined {
  const { cycle, phase, visited } = state;
  const { input_schema } = phase.definition.data;
  if (visited.length === 1 && cycle.entryCondition) {
    const held = ask(`cycles/${cycle.id} entry_condition`, cycle.entryCondition, facts);
    if (!held.is) return stop(`the cycle's entry condition is not true: ${cycle.entryCondition.text}`, held.failures);
  }
  if (input_schema === undefined) return undefined;
  const checked = schemas.validate(input_schema, inputOf(state));
  return checked.ok
    ? undefined
    : stop(`what ${phase.id} is given is not what it asks for: ${checked.error.message}`, []);
}

/** Evaluates the halt signal before a persona is asked. A signal that reads a review is evaluated after the review. */
export function whyHalted({ phase }: CycleState, facts: JsonObject): Stop | undefined {
  if (!phase.halt || phase.halt.reads.some(({ path }) => !Object.hasOwn(facts, path[0] ?? ""))) return undefined;
  const held = ask(`phases/${phase.id} halt_signal`, phase.halt, facts);
  if (held.failures.length === 0 && !held.is) return undefined;
  return stop(`the halt signal of ${phase.id} is true: ${phase.halt.text}`, held.failures);
}

/** A person denied, or did not answer: the cycle takes the transition for a denial, or ends. */
export function deniedByPerson(
  state: CycleState,
  facts: JsonObject,
): Extract<Outcome, { readonly kind: "abort" | "advance" }> | undefined {
  const { approval, phase, cycle } = state;
  if (approval === null || approval.decision === "approved") return undefined;
  const way = cycle.transitions.find(({ from, when }) => {
    if (from !== phase.id || !when.reads.some(({ path }) => path[0] === "approval")) return false;
    const held = isTrue(when, facts);
    return held.ok && held.value;
  });
  const to = cycle.phases.find(({ id }) => id === way?.to);
  if (way && to) return { kind: "advance", to, reason: way.reason, signal: way.when.text };
  return {
    kind: "abort",
    code: "POLICY_DENIED",
    reason: `${phase.id} was not approved (${approval.decision} by ${approval.by}): ${approval.reason}`,
  };
}

/** Input of a phase: the output of the phase before it, or the input of the cycle. */
function inputOf({ outputs, visited, input }: CycleState): JsonValue {
  const before = visited.at(-2);
  return before === undefined ? input : (outputs[before] ?? input);
}

function ask(
  signal: string,
  expression: Compiled,
  facts: JsonObject,
): { readonly is: boolean; readonly failures: readonly SignalFailure[] } {
  const held = isTrue(expression, facts);
  if (held.ok) return { is: held.value, failures: [] };
  return { is: false, failures: [{ signal, expression: expression.text, message: held.error.message }] };
}

function stop(reason: string, failures: readonly SignalFailure[]): Stop {
  return { outcome: { kind: "abort", code: "WORKFLOW_ABORTED", reason }, failures };
}
