/** From a work order to a FlowResult: nine steps, nine files, one runner. Composes the rooms below; calls no model and no tool itself. */

export { type Aperture, type ApertureManager, type ApertureRule, createAperture } from "./aperture.ts";
export { claimOfOrder } from "./claim-of-order.ts";
export { createSubOrder } from "./delegation.ts";
export type { Dispatch, DispatchCaller } from "./dispatch-port.ts";
export type { ExecutionContext, FlowResult } from "./execution-context.ts";
export { explainOrder, type OrderExplanation } from "./explain-order.ts";
export type { FlowConfig, FlowDependencies, FlowOptions, FlowRequest, Intake } from "./flow.ts";
export type { Halt, Halts } from "./halt/halts.ts";
export { createOrderBook, type InterruptedOrder, type OrderBook } from "./order-book.ts";
export { decideRecovery, type RecoveryDecision, type RecoveryRules } from "./recovery.ts";
export { editEvent } from "./replay/edit-event.ts";
export { forkedChildren } from "./replay/forked-children.ts";
export { ParentPast } from "./replay/parent-past.ts";
export { readEvents } from "./replay/read-events.ts";
export { endOfOrder, resultOfRecord } from "./replay/result-of-record.ts";
export { type ResumeOptions, resultOfClosed, resumeFlow } from "./replay/resume-flow.ts";
export type { StoppedSession } from "./replay/stopped-session.ts";
export { createFlowRunner, type FlowRunner } from "./run-flow.ts";
export { decomposeStrategy } from "./strategies/decompose.ts";
export {
  type StepAction,
  type StepResult,
  type StepStrategy,
  type SubTask,
  singleStepStrategy,
} from "./strategies/step-strategy.ts";
export {
  draftOrder,
  type KeyedOrder,
  numberOrder,
  type OrderNumbers,
  type OrderParts,
  type UnnumberedOrder,
  writeOrder,
} from "./write-order.ts";
