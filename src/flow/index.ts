/** From a work order to a FlowResult: nine steps, nine files, one runner. Composes the rooms below; calls no model and no tool itself. */
export type { Dispatch, DispatchCaller } from "./dispatch-port.ts";
export type {
  ExecutionContext,
  FlowConfig,
  FlowDependencies,
  FlowOptions,
  FlowRequest,
  FlowResult,
  Intake,
} from "./flow.ts";
export { createOrderBook, type OrderBook } from "./order-book.ts";
export { createFlowRunner, type FlowRunner } from "./run-flow.ts";
