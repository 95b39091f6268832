import type { Caller, Result } from "#core/values";
import type { Approval } from "./approval.ts";

/** Looks whether a decision can have its effect, before it is stored; an error refuses the decision, and nothing is recorded. */
export type Consequence = (approval: Approval, choice: string, by: Caller) => Promise<Result<CarryOut>>;

/** Has the effect. Done twice it is as if done once. */
export type CarryOut = () => Promise<CarriedOut>;

export type CarriedOut =
  | { readonly state: "done" }
  /** Nothing was done and nothing recorded: the decision is withdrawn. */
  | { readonly state: "refused"; readonly error: Result<never> }
  /** It may be half done: the decision is pending until it is repeated. */
  | { readonly state: "failed"; readonly error: Result<never> };

/** No effect: the session that waits looks again. */
export const nothingFollows: CarryOut = () => Promise.resolve({ state: "done" });
