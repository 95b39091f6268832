import type {
  AgentLimits,
  AttentionService,
  Budgeter,
  BudgetLimits,
  BudgetScope,
  CallCounter,
  MissingTool,
  Role,
  Router,
  Skills,
  ToolOffer,
} from "#agents";
import type { FlowRequestV1, SchemaRegistry, WorkOrderV1 } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Caller, Clock, IdSource, JsonObject, Result, SessionId } from "#core/values";
import type { ToolProgress } from "#effects";
import type { Framework, Grant, Hooks } from "#governance";
import type { Event, EventKinds, EventLog, RecordedHistory, SessionLog } from "#log";
import type { Authorization, Inbox } from "#people";
import type { KeptWorkflows } from "#workflows";
import type { Halts } from "../halts/halts.ts";
import type { StepStrategy } from "../strategies/step-strategy.ts";
import type { ApertureRule } from "./aperture.ts";
import type { Dispatch } from "./dispatch-port.ts";
import type { ExecutionContext, FlowResult } from "./execution-context.ts";
import type { InterruptedOrder, OrderBook } from "./order-book.ts";
import type { RecoveryRules } from "./recovery.ts";

/** What the flow runner composes. It owns none of it. */
export interface FlowDependencies {
  readonly log: Pick<EventLog, "create">;
  readonly schemas: SchemaRegistry;
  /** How a session that goes on finds its recorded events. */
  readonly eventKinds: EventKinds;
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
  /** Reads a framework whose required gates are open; `GATE_DENIED` when one is shut. */
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
  /** Asks the same gates again before a result counts: the law must not have been changed by hand meanwhile. */
  readonly confirmGates: (framework: Framework) => Promise<Result<void>>;
  /** Who submits: whoever was recognised at a door, else somebody known here, else nobody. */
  readonly authenticate: (request: FlowRequest, recognised: Caller | undefined) => Result<Caller>;
  /** Whether this caller may submit this order; the answer says by which right. */
  readonly authorize: (caller: Caller, order: WorkOrderV1, agent_class: string) => Result<Authorization>;
  /** The router of a profile; in development mode always the scripted one. */
  readonly routerFor: (profile: string | undefined, dev_mode: boolean) => Promise<Result<Router>>;
  readonly workflows: KeptWorkflows;
  /** Where a flow asks people. */
  readonly inbox: Pick<Inbox, "ask">;
  readonly orders: OrderBook;
  readonly halts: Halts;
  readonly skills: Skills;
  readonly toolOffers: (isAllowed: (name: string) => boolean) => readonly ToolOffer[];
  /** Those of a skill's tools that cannot be offered, each with the reason. */
  readonly missingTools: (wanted: readonly string[]) => readonly MissingTool[];
  readonly dispatch: Dispatch;
  readonly rolePrompt: (role: Role) => Promise<Result<string>>;
  /** The law in force, by hash; recorded at `session.start`. */
  readonly pinned: (framework_id: string) => Promise<Result<Readonly<Record<string, string>>>>;
  /** Strategies of one's own, by type of work order; used where `multi_step_enabled`. */
  readonly strategies: Readonly<Record<string, StepStrategy>>;
  /** Ids for orders that a flow writes itself. */
  readonly nextOrderId: () => Promise<Result<string>>;
  /** Refusals that have no session of their own. */
  readonly intake: Intake;
  /** Runs the one turn of an order of type `turn`. */
  readonly runTurn: (turn: JsonObject, order: TurnOrder) => Promise<Result<StrategyOutcome>>;
  /** Runs an acceptance command as a sandboxed turn; answers why not when there is no sandbox. */
  readonly runCheck: (
    command: readonly string[],
    context: ExecutionContext,
    signal: AbortSignal,
    session: SessionLog,
  ) => Promise<Result<{ readonly passed: boolean; readonly reason: string }>>;
}

export interface TurnOrder {
  readonly context: ExecutionContext;
  /** What order and framework let it write; it may have less. */
  readonly writeGrants: readonly Grant[];
  readonly session: SessionLog;
  readonly signal: AbortSignal;
}

/** A request that has been read: the order is still whatever the caller sent. */
export type FlowRequest = FlowRequestV1;

export interface FlowConfig {
  readonly default_budget: BudgetLimits;
  readonly max_concurrent_flows: number;
  readonly execution_timeout_seconds: number;
  readonly agents: AgentLimits;
  readonly aperture: readonly ApertureRule[];
  readonly recovery: RecoveryRules;
  readonly delegation: { readonly max_depth: number; readonly max_fan_out: number };
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

/** The flow that handed an order down, and what it may hand down. */
export interface ParentFlow {
  readonly session_id: string;
  readonly budget: BudgetScope;
  readonly depth: number;
  /** The sessions above, the topmost first: a halt of any of them reaches this one. */
  readonly ancestors: readonly string[];
}

/** An order that a flow hands down, and the session that it was promised. */
export interface HandedDown {
  readonly work_order_id: string;
  readonly session_id: SessionId;
  readonly order: WorkOrderV1;
}

/** What became of an order that was handed down before the flow stopped: its result, or the session in which it is to run. */
export type TakeUpChild = (
  child: HandedDown,
  options: { readonly parent: ParentFlow; readonly signal: AbortSignal },
) => Promise<Result<FlowResult | { readonly session_id?: SessionId }>>;

/** Where a fork left its parent, and what it takes along from there. */
export interface ForkPoint {
  readonly session_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly past: RecordedHistory;
  /** What became of the orders that its parent handed down by then. */
  readonly resumeChild: TakeUpChild;
}

export interface FlowOptions {
  /** Whoever was recognised at a door: by an API key. Absent: the request's `caller_id` at this machine. */
  readonly caller?: Caller;
  readonly parent?: ParentFlow;
  readonly fork?: ForkPoint;
  /** The session's name, where it was promised before. */
  readonly session_id?: SessionId;
  /** The order was written just now under a number of its own: nobody can have submitted it before. */
  readonly fresh?: boolean;
  /** What to do with an order that another process began and did not end; without it the submission is refused. */
  readonly takeUp?: (begun: InterruptedOrder) => Promise<Result<FlowResult>>;
  readonly signal?: AbortSignal;
  /** Sees every event of the session as it is recorded, for people who watch. */
  readonly onEvent?: (event: Event) => void;
  readonly onText?: (role: string, delta: string) => void;
  /** Hears how far a long tool call has come, in its server's words. */
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
}

/** What the steps hand on to each other. */
export interface FlowState {
  readonly request: FlowRequest;
  readonly session: SessionLog;
  readonly signal: AbortSignal;
  readonly onText: FlowOptions["onText"];
  readonly onProgress: FlowOptions["onProgress"];
  readonly parent: ParentFlow | undefined;
  readonly run: (request: FlowRequest, options?: FlowOptions) => Promise<FlowResult>;
  /** Present when the flow goes on after a stop. */
  readonly resumeChild: TakeUpChild | undefined;
  /** Orders that this flow handed down. */
  readonly children: string[];
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
