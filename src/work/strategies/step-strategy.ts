import type { DomainError } from "#core/errors";
import type { ExecutionContext, FlowResult } from "../flow/execution-context.ts";

/** What a strategy wants done next. It decides; the runner does. */
export type StepAction =
  | { readonly type: "send_prompt"; readonly prompt?: string }
  /** Work for agents of the tier below, each under an order of its own. */
  | { readonly type: "delegate"; readonly tasks: readonly SubTask[] }
  /** Ends the order. A part that failed fails it, unless the strategy says that it has done without it. */
  | { readonly type: "complete"; readonly response?: string; readonly without_failed_parts?: true }
  /** Ends the order as a failure: the strategy does not know how to go on. */
  | { readonly type: "fail"; readonly error: DomainError };

/** What a parent hands down: never more than it has itself. What is left out is inherited, the budget excepted. */
export interface SubTask {
  readonly prompt: string;
  readonly type?: string;
  readonly tools?: readonly string[];
  readonly allowed_files?: readonly string[];
  readonly read_files?: readonly string[];
  readonly budget: {
    readonly token_limit: number;
    readonly turn_limit: number;
    readonly timeout_seconds?: number;
    readonly usd_limit?: number;
  };
}

export type StepResult =
  | { readonly type: "send_prompt"; readonly response: string }
  | { readonly type: "delegate"; readonly results: readonly FlowResult[] };

/** How a work order is carried out in several steps. Pure: the same history gives the same next step. */
export interface StepStrategy {
  /** Pinned by the sessions that begin under it. */
  readonly hash?: string;
  nextStep(context: ExecutionContext, history: readonly StepResult[], limits: DecomposeLimits): StepAction;
}

/** How far an order is taken apart. */
export interface DecomposeLimits {
  readonly max_parts: number;
  /** What the order keeps of its tokens for itself. */
  readonly kept_share: number;
}

/** Seed 000's v1: one prompt, one response, done. */
export const singleStepStrategy: StepStrategy = {
  nextStep: (_, history) => (history.length === 0 ? { type: "send_prompt" } : { type: "complete" }),
};
