import { findValue } from "#agents";
import { isJsonObject } from "#core/values";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";
import { promptOfOrder } from "../orders/prompt-of-order.ts";
import type { DecomposeLimits, StepAction, StepStrategy, SubTask } from "./step-strategy.ts";

/**
 * An agent that may ask for others: it answers, or names tasks for agents under orders of their own, each narrower than its
 * own order. Those are of the same type, so that they may ask in turn, as deep as the order says. Type `delegate`.
 */
export const delegateStrategy: StepStrategy = {
  nextStep(context, history, limits): StepAction {
    const last = history.at(-1);
    if (last === undefined)
      return { type: "send_prompt", prompt: `${howToAsk(limits)}\n\nRequest: ${promptOfOrder(context.work_order)}` };
    if (last.type === "delegate") return { type: "send_prompt", prompt: whatCameOfIt(last.results) };
    const tasks = readTasks(last.response, context, limits);
    return tasks.length === 0 ? { type: "complete" } : { type: "delegate", tasks };
  },
};

function howToAsk({ max_parts }: DecomposeLimits): string {
  return `Answer the request. If parts of it are better done by agents of their own, answer with JSON only, at most ${max_parts} tasks:
{"delegate": [{"prompt": "<what to do>", "tools": ["<name>"], "allowed_files": ["<glob>"], "token_limit": 1000}]}
Each agent gets at most what you have; what you leave out it has as you do. You are given their answers.`;
}

function whatCameOfIt(results: readonly FlowResult[]): string {
  const parts = results.map(
    ({ status, response, error }, index) => `Agent ${index + 1} (${status}):\n${response ?? error ?? "(no answer)"}`,
  );
  return `The agents have answered.\n\n${parts.join("\n\n")}`;
}

function readTasks(text: string, context: ExecutionContext, limits: DecomposeLimits): readonly SubTask[] {
  const found = findValue(text.trim());
  const asked = found.ok && isJsonObject(found.value.value) ? found.value.value["delegate"] : undefined;
  if (!Array.isArray(asked)) return [];
  const wanted = asked.filter(
    (each) => isJsonObject(each) && typeof each["prompt"] === "string" && each["prompt"] !== "",
  );
  const { token_limit, turn_limit } = context.budget_limits;
  const share = (1 - limits.kept_share) / Math.max(1, Math.min(wanted.length, limits.max_parts));
  return wanted.slice(0, limits.max_parts).map((task) => ({
    prompt: String(task["prompt"]),
    type: "delegate",
    ...(texts(task["tools"]) ? { tools: texts(task["tools"]) ?? [] } : {}),
    ...(texts(task["allowed_files"]) ? { allowed_files: texts(task["allowed_files"]) ?? [] } : {}),
    budget: {
      token_limit: wholeNumber(task["token_limit"]) ?? Math.max(1, Math.floor(token_limit * share)),
      turn_limit: Math.max(1, Math.floor((turn_limit - 2) / Math.max(1, wanted.length))),
    },
  }));
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
