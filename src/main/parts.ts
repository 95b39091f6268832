import type { AgentsParts, DefinedProvider } from "#agents";
import type { Result } from "#core/values";
import type { DefinedTool, EffectsParts, ProgramParts } from "#effects";
import type { GovernanceParts, HookHandler, SecretParts } from "#governance";
import type { StoreOptions, StoreParts } from "#operate";
import type { PeopleParts } from "#people";
import type { LogParts } from "#proof";
import type { ForkControl, HaltControl, KeyedOrders, SessionControl, StepStrategy, WorkParts } from "#work";
import type { WorkflowsParts } from "#workflows";
import type { WorkspaceOptions, WorkspaceParts } from "#workspace";

export interface RuntimeOptions extends WorkspaceOptions, StoreOptions {
  /** Strategies of an embedding program, by type of work order; used where `v2_features.multi_step_enabled`. */
  readonly strategies?: Readonly<Record<string, StepStrategy>>;
  readonly brought?: Brought;
}

/** What an embedding program brings along as functions of its own. */
export interface Brought {
  readonly tools?: readonly DefinedTool[];
  /** Asked beside the hooks of the workspace. */
  readonly hooks?: readonly HookHandler[];
  /** Each is a profile of its name. The first answers where the configuration names no other. */
  readonly providers?: readonly DefinedProvider[];
}

/** A workspace, wired: the sum of what its places opened. */
export interface Runtime
  extends WorkspaceParts,
    ProgramParts,
    SecretParts,
    StoreParts,
    LogParts,
    PeopleParts,
    GovernanceParts,
    EffectsParts,
    AgentsParts,
    WorkflowsParts,
    WorkParts {
  close(): Promise<Result<void>>;
}

/** What an embedding program gets of it: orders, flows, sessions and decisions. The rest is inside, and may change. */
export interface Workspace
  extends Pick<
      Runtime,
      "root" | "config" | "schemas" | "log" | "tools" | "skills" | "workflows" | "inbox" | "decisions" | "approvals"
    >,
    Pick<Runtime, "keys" | "caller" | "localCaller" | "nextOrderId" | "execTurn" | "verifySession" | "close">,
    Pick<
      Runtime,
      | "thread"
      | "threads"
      | "modelSession"
      | "writeWorkOrder"
      | "writeToolOrder"
      | "writeCycleOrder"
      | "explainOrder"
      | "runFlow"
    >,
    SessionControl,
    ForkControl,
    HaltControl,
    KeyedOrders {}
