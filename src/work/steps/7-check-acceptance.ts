import { validateAgainst } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { ok, parseJson, type Result } from "#core/values";
import type { Framework } from "#governance";
import { filesChanged } from "../acceptance/changed-files.ts";
import { criteriaOf } from "../acceptance/criteria.ts";
import { checkDeclaredOutputs } from "../acceptance/declared-outputs.ts";
import { factsOf } from "../acceptance/facts.ts";
import { orderFacts, tryInvariants } from "../acceptance/invariants.ts";
import { triedBefore } from "../acceptance/review-gates.ts";
import { type GateResult, tryCriterion } from "../acceptance/try-criterion.ts";
import { answerRule } from "../citations/answer-rules.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";

export interface Acceptance {
  readonly passed: boolean;
  readonly gate_results: readonly GateResult[];
  /** Why the order fails; null where everything passed. */
  readonly error: DomainError | null;
}

/** An outcome, and the framework whose invariants it has to keep. */
type JudgedOutcome = StrategyOutcome & { readonly framework: Framework };

/** Step 7. Every criterion is tried and recorded; one that fails, or cannot be tried, fails the order. */
export async function checkAcceptance(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  outcome: JudgedOutcome,
): Promise<Result<Acceptance>> {
  const tried = await tryEverything(deps, state, context, outcome);
  if (!tried.ok) return tried;
  const recorded = state.session.stage({
    type: "acceptance.checked",
    actor: "flow",
    payload: {
      work_order_id: context.work_order.work_order_id,
      passed: tried.value.every((gate) => gate.passed),
      gate_results: [...tried.value],
    },
  });
  if (!recorded.ok) return recorded;
  // As recorded: redacted, and in a session that goes on what was found before it stopped.
  const { passed, gate_results } = recorded.value.payload;
  return ok({ passed, gate_results, error: passed ? null : notAccepted(gate_results) });
}

async function tryEverything(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
  outcome: JudgedOutcome,
): Promise<Result<readonly GateResult[]>> {
  const { work_order } = context;
  const results: GateResult[] = [];
  const schema = work_order.io_schema?.output_schema;
  if (schema !== undefined) results.push(checkOutput(deps, state, schema, outcome.response));
  const files = filesChanged(deps, state);
  results.push(...(await checkDeclaredOutputs(deps, context, files)));
  const criteria = criteriaOf(work_order, deps.schemas);
  if (!criteria.ok) return criteria;
  let facts = factsOf({ ...state, files }, context, outcome);
  const found = new Map<object, GateResult>();
  // Expressions come last: they judge by the exit statuses of all commands.
  for (const criterion of criteria.value.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
    const before = triedBefore(state, criterion.name, facts.files);
    const result = before ? ok(before) : await tryCriterion(deps, state, context, { criterion, facts });
    if (!result.ok) return result;
    found.set(criterion, result.value);
    const { exit_code } = result.value;
    if (exit_code !== undefined) facts = { ...facts, exit_codes: { ...facts.exit_codes, [criterion.name]: exit_code } };
  }
  const order = orderFacts(work_order, context.budget_limits);
  const invariants = tryInvariants(outcome.framework, { order, outcome: facts });
  return ok([...results, ...criteria.value.flatMap((criterion) => found.get(criterion) ?? []), ...invariants]);
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

function checkOutput(
  deps: FlowDependencies,
  { tally }: Pick<FlowState, "tally">,
  schema: string | object,
  response: string,
): GateResult {
  const gate = "io_schema.output_schema";
  const parsed = parseJson(response);
  if (!parsed.ok) return { gate, passed: false, message: `the response is not JSON: ${parsed.error.message}` };
  const checked = validateAgainst(deps.schemas, schema, gate, parsed.value);
  const held = checked.ok && typeof schema === "string" ? answerRule(tally.sources)(schema, parsed.value) : checked;
  return held.ok ? { gate, passed: true } : { gate, passed: false, message: held.error.message };
}
