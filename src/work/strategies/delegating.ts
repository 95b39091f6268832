import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { startChildren } from "../delegation/start-children.ts";
import type { Dispatch } from "../flow/dispatch-port.ts";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import type { Answers, HandDown, Tasks } from "./hand-downs.ts";
import type { SubTask } from "./step-strategy.ts";

export interface Delegating {
  readonly dispatch: Dispatch;
  readonly close: () => void;
}

/**
 * Lets the agents of one flow call `delegate`. A call that the record answers hands its orders down again all the same: they
 * are answered from their own records, and what they spent is gone from this order as it was before.
 */
export function delegating(deps: FlowDependencies, state: FlowState, context: ExecutionContext): Delegating {
  let isHanded = false;
  const handDown: HandDown = async (tasks, signal) => {
    isHanded = true;
    const parts = subTasksOf(tasks, context, deps.config.decompose.kept_share);
    const results = await startChildren(deps, { ...state, signal }, context, parts);
    return results.ok ? answersOf(results.value) : results;
  };
  const dispatch: Dispatch = async (call, caller) => {
    if (call.name !== "delegate") return deps.dispatch(call, caller);
    const isRecorded = state.session.past?.knowsCall(call.id) ?? false;
    isHanded = false;
    const outcome = await deps.dispatch(call, caller);
    if (isHanded || !isRecorded || !deps.schemas.validate("delegate.args_v1", call.args).ok) return outcome;
    const again = await handDown((call.args as { tasks: Tasks }).tasks, state.signal);
    const isOver = again.ok || (again.error.kind !== "doubt" && again.error.kind !== "log");
    return isOver ? outcome : again;
  };
  return { dispatch, close: deps.handDowns.open(context.session_id, handDown) };
}

function subTasksOf(tasks: Tasks, { budget_limits }: ExecutionContext, kept_share: number): readonly SubTask[] {
  const share = (1 - kept_share) / tasks.length;
  return tasks.map(({ prompt, tools, allowed_files, read_files, token_limit }) => ({
    prompt,
    type: "solo",
    ...(tools === undefined ? {} : { tools }),
    ...(allowed_files === undefined ? {} : { allowed_files }),
    ...(read_files === undefined ? {} : { read_files }),
    budget: {
      token_limit: token_limit ?? Math.max(1, Math.floor(budget_limits.token_limit * share)),
      turn_limit: Math.max(1, Math.floor(budget_limits.turn_limit * share)),
    },
  }));
}

/** Where a part fails, the call fails: the agent reads the other answers, and its own answer is partial unless it makes up for the failed part. */
function answersOf(results: readonly FlowResult[]): Result<Answers> {
  const answers = results.map(({ work_order_id, response }) => ({
    work_order_id: work_order_id ?? "unknown",
    answer: response ?? "",
  }));
  const failed = results.filter(({ status }) => status !== "success");
  if (failed.length === 0) return ok({ answers });
  const why = failed.map(({ work_order_id, error, status }) => `${work_order_id}: ${error ?? status}`);
  return err(
    domainError("PART_FAILED", `${failed.length} of ${results.length} parts failed: ${why.join("; ")}`, {
      details: { answers: answers.filter(({ answer }) => answer !== "") },
    }),
  );
}
