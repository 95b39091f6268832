/**
 * What a program gets that imports `writ`: a workspace in its own process, and the types in which apps, workers and hooks of one's
 * own are written. Everything else is inside, and may change.
 */

export type { AppTurnActionsV1, AppTurnInputV1, HookDecisionV1, WorkOrder, WorkOrderV1 } from "#core/contracts";
export { type DomainError, type ErrorCode } from "#core/errors";
export {
  type Clock,
  isSessionId,
  type JsonObject,
  type JsonValue,
  type Random,
  type Result,
  type SessionId,
} from "#core/values";
export type { HookAbout, HookModule, HookPoint } from "#governance";
export type { Event } from "#log";
export { type InitOptions, type InitResult, initWorkspace } from "#operate";
export type { Verification } from "#proof";
export type {
  Lease,
  Question,
  Think,
  ThinkingApp as App,
  ThinkingContext as AppContext,
  Thought,
  WorkContext,
  WorkHandler,
  WorkOutcome,
} from "#runs";
export type { FlowOptions, FlowRequest, FlowResult, StepStrategy } from "#work";
export type { Wiring } from "./open-runtime.ts";
export { type OpenOptions, openWorkspace } from "./open-workspace.ts";
export type { Workspace } from "./parts.ts";
