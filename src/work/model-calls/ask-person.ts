import { ok, type Result, sleep } from "#core/values";
import { toolCall } from "#effects";
import { askIn } from "#people";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";

type Question = Parameters<typeof toolCall.title>[0];

/** Between two looks at the inbox: a person may answer in another process. */
const lookMs = 200;

/**
 * Waits for a person's answer about a call of the program's model, as long as the order has time. Undefined where it is allowed,
 * otherwise why not. The question and the decision are in the session's record.
 */
export async function askPerson(
  {
    deps,
    state,
    context,
  }: { readonly deps: FlowDependencies; readonly state: FlowState; readonly context: ExecutionContext },
  question: Question,
): Promise<Result<string | undefined>> {
  const ask = askIn(deps.inbox, context.caller_id, state.session);
  for (;;) {
    const verdict = await ask(toolCall, question);
    if (!verdict.ok) return verdict;
    const { value } = verdict;
    if (value.state === "approved") return ok(undefined);
    if (value.state === "denied") return ok(`a person did not allow it: ${value.reason}`);
    if (!(await sleep(deps.clock, lookMs, state.signal))) return ok("no answer came while the order had time");
  }
}
