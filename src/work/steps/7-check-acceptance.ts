import { parseYaml, validateAgainst } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, parseJson, type Result } from "#core/values";
import { decodeText } from "#effects";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";

export interface GateResult {
  readonly gate: string;
  readonly passed: boolean;
  readonly message?: string;
  readonly details?: JsonObject;
}

export interface Acceptance {
  readonly passed: boolean;
  readonly gate_results: readonly GateResult[];
  /** Why the order fails; null where everything passed. */
  readonly error: DomainError | null;
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
  for (const [index, output] of (context.work_order.declared_outputs ?? []).entries())
    gate_results.push(await checkDeclaredOutput(deps, `declared_outputs[${index}]`, output));
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
  return recorded.ok ? ok({ passed, gate_results, error: passed ? null : notAccepted(gate_results) }) : recorded;
}

/** A missing output has a code of its own: the work was not done, whatever else holds. */
function notAccepted(gate_results: readonly GateResult[]): DomainError {
  const failed = gate_results.filter((gate) => !gate.passed);
  const isMissing = failed.some(({ details }) => details?.["code"] === "MISSING_OUTPUT");
  return domainError(
    isMissing ? "MISSING_OUTPUT" : "ACCEPTANCE_FAILED",
    `not accepted: ${failed.map(({ gate, message }) => (message === undefined ? gate : `${gate} (${message})`)).join(", ")}`,
  );
}

type DeclaredOutput = NonNullable<ExecutionContext["work_order"]["declared_outputs"]>[number];

/** The file exists after the work, and holds what its schema asks for. */
async function checkDeclaredOutput(
  deps: FlowDependencies,
  gate: string,
  { path, schema_id }: DeclaredOutput,
): Promise<GateResult> {
  const file = await deps.readFile(path);
  // A folder and a file that is too large to hash are there; what they hold is not compared with anything.
  if (!file.ok && file.error.code === "TOOL_ERROR" && schema_id === undefined)
    return { gate, passed: true, details: { path } };
  if (!file.ok) {
    const code = file.error.code === "NOT_FOUND" ? "MISSING_OUTPUT" : file.error.code;
    return { gate, passed: false, message: file.error.message, details: { path, code } };
  }
  const details = { path, sha256: file.value.hash };
  if (schema_id === undefined) return { gate, passed: true, details };
  const document = readDocument(path, decodeText(file.value.bytes));
  const checked = document.ok ? validateAgainst(deps.schemas, schema_id, gate, document.value) : document;
  if (checked.ok) return { gate, passed: true, details };
  return { gate, passed: false, message: `${path}: ${checked.error.message}`, details };
}

function readDocument(path: string, text: string | undefined): Result<unknown> {
  if (text === undefined) return err(domainError("MALFORMED_INPUT", "it is not text"));
  return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text);
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
