/**
 * What a program gets that imports `writ`: a workspace in its own process, and the types in which apps, workers and hooks of one's
 * own are written. Everything else is inside, and may change.
 */
export type { Question, Think, ThinkingApp as App, ThinkingContext as AppContext, Thought } from "#apps";
export {
  type Clock,
  type DomainError,
  type ErrorCode,
  isSessionId,
  type JsonObject,
  type JsonValue,
  type Random,
  type Result,
  type SessionId,
} from "#base";
export type { Event, Verification } from "#events";
export type { FlowOptions, FlowRequest, FlowResult, StepStrategy } from "#flow";
export type { HookAbout, HookModule, HookPoint } from "#hooks";
export type { Lease, WorkContext, WorkHandler, WorkOutcome } from "#kernel";
export type { AppTurnActionsV1, AppTurnInputV1, HookDecisionV1, WorkOrderV1 } from "#schemas";
export { type OpenOptions, openWorkspace } from "./embed/open-workspace.ts";
export type { Runtime } from "./runtime/runtime.ts";
export { type InitResult, type InitWishes, initWorkspace } from "./workspace/init-workspace.ts";
