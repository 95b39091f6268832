import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";

/** An order for one sandboxed turn, without a model: what `writ turn exec` writes. */
export async function runTurnOnce(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
): Promise<Result<StrategyOutcome>> {
  const turn = context.work_order.input?.["turn"];
  if (!isJsonObject(turn))
    return err(domainError("WORK_ORDER_INVALID", 'an order of type "turn" names its turn in input: {turn: {…}}'));
  return deps.runTurn(turn as JsonObject, {
    context,
    session: state.session,
    signal: state.signal,
  });
}
