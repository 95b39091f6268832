import { canonicalJson, ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { type ChangedFile, filesChanged } from "./changed-files.ts";
import { criteriaOf } from "./criteria.ts";
import { checkDeclaredOutputs } from "./declared-outputs.ts";
import { factsOf } from "./facts.ts";
import { type GateResult, tryCriterion } from "./try-criterion.ts";

type GateDeps = Pick<
  FlowDependencies,
  "runCheck" | "seals" | "landing" | "redact" | "schemas" | "readFile" | "filesBelow"
>;
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
  const files = filesChanged(deps, state);
  const facts = factsOf({ ...state, files }, context, { response: answer, verdict: "pass", error: null });
  const outputs = await checkDeclaredOutputs(deps, context, files);
  const results = new Map<string, GateResult>();
  for (const criterion of criteria.value) {
    if (criterion.kind !== "command") continue;
    const tried = await tryCriterion(deps, state, context, { criterion, facts });
    if (!tried.ok) return tried;
    results.set(criterion.name, tried.value);
  }
  state.tried.gates = { files: canonicalJson(files), results };
  return ok([...outputs, ...results.values()]);
}

/** What a program said before the review, where no file has changed since: it is not run a second time. */
export function triedBefore(
  { tried: { gates } }: Pick<FlowState, "tried">,
  gate: string,
  files: readonly ChangedFile[],
): GateResult | undefined {
  return gates?.files === canonicalJson(files) ? gates.results.get(gate) : undefined;
}
