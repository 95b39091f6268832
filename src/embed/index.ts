/**
 * What a program gets that imports `writ`: a workspace in its own process, and what tools, hooks, models, apps and workers of one's
 * own are defined with. Everything else is inside, and may change.
 */

export type {
  AppTurnActionsV1,
  AppTurnInputV1,
  HookDecisionV1,
  TurnRequestV1 as TurnRequest,
  TurnResultV1 as TurnResult,
  WorkOrder,
  WorkOrderV1,
  WritConfigV1 as WritConfig,
} from "#core/contracts";
export { type DomainError, type ErrorCode } from "#core/errors";
export type { GivenClock as Clock } from "#core/machine";
export {
  isSessionId,
  type JsonObject,
  type JsonValue,
  type Random,
  type Result,
  type SessionId,
} from "#core/values";
export type { HookAbout, HookModule, HookPoint } from "#governance";
export type { Event, EventType } from "#log";
export { type InitOptions, type InitResult, initWorkspace } from "#operate";
export type { Verification } from "#proof";
export type {
  Lease,
  ProgramRuns,
  Question,
  Think,
  ThinkingApp as App,
  ThinkingContext as AppContext,
  Thought,
  WholeRun,
  WorkContext,
  WorkHandler,
  WorkOutcome,
} from "#runs";
export type {
  FlowOptions,
  FlowRequest,
  FlowResult,
  OrderWords,
  StepStrategy,
} from "#work";
export { type DefinedStrategy, defineStrategy, type StrategyDefinition } from "#work";
export {
  type DefinedProvider,
  defineProvider,
  type ProviderAnswer,
  type ProviderCallAbout,
  type ProviderDefinition,
} from "../agents/models/define-provider.ts";
export {
  type DefinedTool,
  defineTool,
  type ToolCallAbout,
  type ToolDefinition,
  type ToolEffect,
  type ValueField,
  type ValueSink,
} from "../effects/tools/define-tool.ts";
export type { AnswerOf, InputOf, JsonSchema, ValueSchema } from "../effects/tools/value-schema.ts";
export type { Capabilities } from "../effects/turns/capability/capabilities.ts";
export type { TurnAbout, TurnFunction } from "../effects/turns/handlers/function-turn.ts";
export { type DefinedHook, defineHook, type HookDefinition } from "../governance/hooks/define-hook.ts";
export type { Wiring } from "../main/open-runtime.ts";
export type { StreamPart } from "../work/threads/stream-part.ts";
export type { SendOptions, SentMessage, Thread } from "../work/threads/threads.ts";
export { defineApp } from "./define-app.ts";
export {
  type DefinedWorker,
  defineWorker,
  type WorkAbout,
  type WorkAnswer,
  type WorkerDefinition,
} from "./define-worker.ts";
export { type OpenOptions, type OpenWorkspace, openWorkspace } from "./open-workspace.ts";
export type { TurnRights } from "./turn-rights.ts";
export { unwrap, WritError } from "./unwrap.ts";
export type { Workspace } from "./workspace.ts";
