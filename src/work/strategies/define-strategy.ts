import { sha256 } from "#core/values";
import type { StepStrategy } from "./step-strategy.ts";

export interface StrategyDefinition extends Pick<StepStrategy, "nextStep"> {
  /** Orders of this type are carried out by it: `order.strategy` of a thread, `strategy` of a skill or a framework. */
  readonly type: string;
  /** A session pins the function's text and this: raise it when something changed that the text does not show. */
  readonly version?: string;
}

/** A strategy of an embedding program, for `openWorkspace`; used where `v2_features.multi_step_enabled`. */
export interface DefinedStrategy extends StepStrategy {
  readonly type: string;
  readonly hash: string;
}

/**
 * How a program takes orders of its own type apart. It decides and does nothing: the same history has to give the same step, because a
 * session that is resumed or replayed asks it again about what it recorded.
 */
export function defineStrategy({ type, version = "1", nextStep }: StrategyDefinition): DefinedStrategy {
  return Object.freeze({ type, nextStep, hash: sha256(`${version}\n${nextStep.toString()}`) });
}
