import { isJsonObject, parseJson } from "#core/values";
import { collectResults } from "../delegation/create-sub-order.ts";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import { promptOfOrder } from "../orders/prompt-of-order.ts";
import type { DecomposeLimits, StepAction, StepStrategy, SubTask } from "./step-strategy.ts";

/**
 * An order of the tier HO2 that is too large for one agent: ask for its parts, let agents of HO1 do them at once, then put
 * their answers together. Type `decompose`.
 */
export const decomposeStrategy: StepStrategy = {
  nextStep(context, history, limits): StepAction {
    const [asked, done, joined] = history;
    if (asked === undefined) return { type: "send_prompt", prompt: askForParts(context, limits) };
    if (asked.type !== "send_prompt") return { type: "complete" };
    const tasks = readTasks(asked.response, context, limits);
    // A model that sees no parts has answered already.
    if (tasks.length === 0) return { type: "complete", response: asked.response };
    if (done === undefined) return { type: "delegate", tasks };
    // Nothing is paid for putting together what is not whole: the runner fails an order with a part that failed.
    if (done.type === "delegate" && collectResults(done.results).failed > 0) return { type: "complete" };
    if (done.type === "delegate" && joined === undefined)
      return { type: "send_prompt", prompt: askToJoin(context, done.results) };
    return { type: "complete" };
  },
};

function askForParts(context: ExecutionContext, { max_parts }: DecomposeLimits): string {
  return `Take this request apart into at most ${max_parts} parts that can be done independently of each other.
Answer with JSON only: {"tasks": ["<what to do>", "<what to do>"]}

Request: ${promptOfOrder(context.work_order)}`;
}

function askToJoin(context: ExecutionContext, results: readonly FlowResult[]): string {
  const { responses } = collectResults(results);
  const parts = responses.map((response, index) => `Part ${index + 1}:\n${response ?? "(no answer)"}`);
  return `Put the answers to the parts together into one answer to the request.

Request: ${promptOfOrder(context.work_order)}

${parts.join("\n\n")}`;
}

function readTasks(
  text: string,
  context: ExecutionContext,
  { max_parts, kept_share }: DecomposeLimits,
): readonly SubTask[] {
  const parsed = parseJson(text.trim());
  const tasks = parsed.ok && isJsonObject(parsed.value) ? parsed.value["tasks"] : undefined;
  if (!Array.isArray(tasks)) return [];
  const prompts = tasks.filter((task): task is string => typeof task === "string" && task !== "").slice(0, max_parts);
  const { token_limit, turn_limit } = context.budget_limits;
  const share = (1 - kept_share) / Math.max(1, prompts.length);
  const budget = {
    token_limit: Math.max(1, Math.floor(token_limit * share)),
    // Two calls stay with the parent: one has asked, one will put the answers together.
    turn_limit: Math.max(1, Math.floor((turn_limit - 2) / Math.max(1, prompts.length))),
  };
  return prompts.map((prompt) => ({ prompt, budget }));
}
