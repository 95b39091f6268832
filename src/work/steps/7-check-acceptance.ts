import { validateAgainst } from "#core/contracts";
import { ok, parseJson, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";

export interface GateResult {
  readonly gate: string;
  readonly passed: boolean;
  readonly message?: string;
}

export interface Acceptance {
  readonly passed: boolean;
  readonly gate_results: readonly GateResult[];
}

/** Step 7. Every criterion is tried and recorded; one that fails, or cannot be tried, fails the order. */
export async function checkAcceptance(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  outcome: StrategyOutcome,
): Promise<Result<Acceptance>> {
  const gate_results: GateResult[] = [];
  const { acceptance, io_schema } = context.work_order;
  if (io_schema?.output_schema !== undefined)
    gate_results.push(checkOutput(deps, io_schema.output_schema, outcome.response));
  for (const kind of ["tests", "checks"] as const) {
    for (const [index, each] of (acceptance[kind] ?? []).entries()) {
      const command = commandOf(each);
      const name = typeof each === "string" || each.name === undefined ? `acceptance.${kind}[${index}]` : each.name;
      const ran = await deps.runCheck(command, context, state.signal, state.session);
      gate_results.push(
        ran.ok
          ? { gate: name, passed: ran.value.passed, message: ran.value.reason }
          : { gate: name, passed: false, message: `${ran.error.code}: ${ran.error.message}` },
      );
    }
  }
  const passed = gate_results.every((gate) => gate.passed);
  const recorded = state.session.stage({
    type: "acceptance.checked",
    actor: "flow",
    payload: { work_order_id: context.work_order.work_order_id, passed, gate_results: gate_results as never },
  });
  return recorded.ok ? ok({ passed, gate_results }) : recorded;
}

function checkOutput(deps: FlowDependencies, schema: string | object, response: string): GateResult {
  const gate = "io_schema.output_schema";
  const parsed = parseJson(response);
  if (!parsed.ok) return { gate, passed: false, message: `the response is not JSON: ${parsed.error.message}` };
  const checked = validateAgainst(deps.schemas, schema, gate, parsed.value);
  return checked.ok ? { gate, passed: true } : { gate, passed: false, message: checked.error.message };
}

type Criterion = NonNullable<ExecutionContext["work_order"]["acceptance"]["tests"]>[number];

/** Text is split at blanks, never given to a shell. */
function commandOf(criterion: Criterion): readonly string[] {
  const command = typeof criterion === "string" ? criterion : (criterion.command ?? []);
  return typeof command === "string" ? command.split(/\s+/).filter((word) => word !== "") : command;
}
