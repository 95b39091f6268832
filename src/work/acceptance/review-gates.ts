import { canonicalJson, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { criteriaOf } from "./criteria.ts";
import { checkDeclaredOutput } from "./declared-outputs.ts";
import { factsOf } from "./facts.ts";
import { type GateResult, tryCriterion } from "./try-criterion.ts";

type GateDeps = Pick<FlowDependencies, "runCheck" | "seals" | "redact" | "schemas" | "readFile" | "filesBelow">;
type GateState = Pick<FlowState, "session" | "signal" | "tally" | "children" | "tried">;

/**
 * The criteria that need no judgement, tried before a reviewer judges: programs that have to end with status 0, and declared
 * outputs. They see the facts as they are if the review passes. Expressions wait for the outcome.
 */
export async function tryReviewGates(
  deps: GateDeps,
  state: GateState,
  context: ExecutionContext,
  answer: string,
): Promise<Result<readonly GateResult[]>> {
  const { work_order } = context;
  const criteria = criteriaOf(work_order, deps.schemas);
  if (!criteria.ok) return criteria;
  const facts = factsOf(state, context, { response: answer, verdict: "pass", error: null });
  const outputs: GateResult[] = [];
  for (const [index, output] of (work_order.declared_outputs ?? []).entries())
    outputs.push(await checkDeclaredOutput(deps, context, `declared_outputs[${index}]`, output));
  const results = new Map<string, GateResult>();
  for (const criterion of criteria.value) {
    if (criterion.kind !== "command") continue;
    const tried = await tryCriterion(deps, state, context, { criterion, facts });
    if (!tried.ok) return tried;
    results.set(criterion.name, tried.value);
  }
  state.tried.gates = { files: filesOf(state), results };
  return ok([...outputs, ...results.values()]);
}

/** What a program said before the review, where no file has changed since: it is not run a second time. */
export function triedBefore(state: Pick<FlowState, "tally" | "tried">, gate: string): GateResult | undefined {
  const { gates } = state.tried;
  return gates?.files === filesOf(state) ? gates.results.get(gate) : undefined;
}

function filesOf({ tally }: Pick<FlowState, "tally">): string {
  return canonicalJson(
    tally.files.list().map(({ path, change, sha256 }) => ({ path, change, sha256: sha256 ?? null })),
  );
}
