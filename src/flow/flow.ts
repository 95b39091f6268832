import type { AgentLimits, Role } from "#agents";
import type { AttentionService } from "#attention";
import type { Clock, DomainError, IdSource, Result } from "#base";
import type { Budgeter, BudgetLimits, BudgetScope } from "#budget";
import type { Event, EventLog, SessionLog } from "#events";
import type { Authorization, Framework } from "#governance";
import type { Hooks } from "#hooks";
import type { CallCounter, Router, ToolOffer } from "#providers";
import type { FlowRequestV1, FlowResultV1, PromptContractV1, SchemaRegistry, WorkOrderV1 } from "#schemas";
import type { Skills } from "#skills";
import type { Dispatch } from "./dispatch-port.ts";
import type { OrderBook } from "./order-book.ts";

/** What the flow runner composes. It owns none of it. */
export interface FlowDependencies {
  readonly log: EventLog;
  readonly schemas: SchemaRegistry;
  readonly hooks: Hooks;
  readonly budgeter: Budgeter;
  readonly attention: AttentionService;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: FlowConfig;
  /** A hash that cannot be guessed back, for what may hold a secret. */
  readonly keyedHash: (text: string) => string;
  /** The redactor of the log: what is hashed beside the log is redacted first. */
  readonly redact: <T>(value: T) => T;
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
  /** Whether this caller may submit this order; the answer says by which right. */
  readonly authorize: (request: FlowRequest, order: WorkOrderV1, agent_class: string) => Result<Authorization>;
  /** The router of a profile; in development mode always the scripted one. */
  readonly routerFor: (profile: string | undefined, dev_mode: boolean) => Promise<Result<Router>>;
  readonly orders: OrderBook;
  readonly skills: Skills;
  readonly toolOffers: (isAllowed: (name: string) => boolean) => readonly ToolOffer[];
  readonly dispatch: Dispatch;
  readonly rolePrompt: (role: Role) => Promise<Result<string>>;
  /** The law in force, by hash; recorded at `session.start`. */
  readonly pinned: () => Promise<Result<Readonly<Record<string, string>>>>;
  /** Refusals that have no session of their own. */
  readonly intake: Intake;
  /** Runs an acceptance command as a sandboxed turn; answers why not when there is no sandbox. */
  readonly runCheck: (
    command: readonly string[],
    context: ExecutionContext,
    signal: AbortSignal,
  ) => Promise<Result<{ readonly passed: boolean; readonly reason: string }>>;
}

/** A request that has been read: the order is still whatever the caller sent. */
export type FlowRequest = FlowRequestV1;

export interface FlowConfig {
  readonly default_budget: BudgetLimits;
  readonly max_concurrent_flows: number;
  readonly execution_timeout_seconds: number;
  readonly agents: AgentLimits;
  readonly v2_features: {
    readonly multi_step_enabled: boolean;
    readonly aperture_enabled: boolean;
    readonly delegation_enabled: boolean;
    readonly recovery_enabled: boolean;
  };
}

/** The log on `hot` for orders that were refused before they had a session. */
export interface Intake {
  reject(entry: {
    readonly work_order_id: string;
    readonly caller_id: string;
    readonly error: DomainError;
    readonly request_hash: string;
  }): Promise<Result<Event<"wo.rejected">>>;
}

export interface FlowOptions {
  /** The order was written just now under a number of its own: nobody can have submitted it before. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  /** Sees every event of the session as it is recorded, for people who watch. */
  readonly onEvent?: (event: Event) => void;
  readonly onText?: (role: string, delta: string) => void;
}

export type FlowResult = FlowResultV1;

/** The agent instance: made in step 4, run, discarded. Seed 000's fields. */
export interface ExecutionContext {
  readonly agent_id: string;
  readonly agent_class: string;
  readonly framework_id: string;
  readonly tier: "hot" | "ho2" | "ho1";
  readonly work_order: WorkOrderV1;
  readonly prompt_contracts: readonly PromptContractV1[];
  readonly budget_scope: BudgetScope;
  readonly path_authorizations: readonly string[];
  readonly tool_permissions: readonly string[];
  readonly session_id: string;
  readonly created_at: string;
  readonly caller_id: string;
  readonly dev_mode: boolean;
}

/** What the steps hand on to each other. */
export interface FlowState {
  readonly request: FlowRequest;
  readonly session: SessionLog;
  readonly signal: AbortSignal;
  readonly onText: FlowOptions["onText"];
  readonly calls: CallCounter;
  readonly order: WorkOrderV1;
  readonly prompt: string;
}

/** What a strategy brings back. */
export interface StrategyOutcome {
  readonly response: string;
  readonly verdict: string | null;
  /** Why an answer that is there does not count as success. */
  readonly error: DomainError | null;
}
