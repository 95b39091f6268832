import type { Skills } from "#agents";
import type { SchemaRegistry, TurnResultV1, WorkOrderV1 } from "#core/contracts";
import type { Caller, Clock, Failpoint, JsonObject, Random, Result, SessionId } from "#core/values";
import type { ToolApprovals, ToolRegistry, TurnService } from "#effects";
import type { GateService, Hooks, Packages } from "#governance";
import type { EventLog } from "#log";
import type { SharedStore } from "#operate";
import type { Decisions, Inbox, Keyring } from "#people";
import type { Verification } from "#proof";
import type {
  CycleOrderInput,
  FlowOptions,
  FlowRequest,
  FlowResult,
  ForkControl,
  HaltControl,
  KeyedOrders,
  OrderExplanation,
  OrderInput,
  SessionControl,
  StepStrategy,
} from "#work";
import type { BacktestService, Workflows } from "#workflows";
import type { Environment, WritConfig } from "#workspace";

export interface RuntimeOptions {
  /** The workspace, absolute. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly version: string;
  /** Strategies of one's own, by type of work order; used where `v2_features.multi_step_enabled`. */
  readonly strategies?: Readonly<Record<string, StepStrategy>>;
  /** Told, in one line, what a person should know before anything acts: that the shared store was lost and rebuilt. */
  readonly onNotice?: (line: string) => void;
  /** Where a test lets the process die. */
  readonly failpoint?: Failpoint;
}

/** A workspace, wired. */
export interface Runtime extends SessionControl, ForkControl, HaltControl, KeyedOrders {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly hooks: Hooks;
  readonly skills: Skills;
  readonly workflows: Workflows;
  /** As they were under a law that a session began with, from its kept bytes. */
  workflowsUnder(law: string): Promise<Result<Pick<Workflows, "registry">>>;
  readonly tools: ToolRegistry;
  /** Everything that waits for a person. */
  readonly inbox: Inbox;
  /** The inbox with what follows from its decisions. */
  readonly decisions: Decisions;
  /** The same for a server, which goes on with sessions whose question was answered. */
  decisionsThat(goOn: (session_id: string) => void): Decisions;
  /** What MCP servers offer, and what was approved of it. */
  readonly approvals: ToolApprovals;
  readonly packages: Packages;
  readonly gates: GateService;
  /** API keys: made, listed, taken back, recognised. */
  readonly keys: Keyring;
  /** Who acts when nobody else is named: the local user. */
  readonly caller: string;
  /** Rules judged over the recorded past. */
  readonly backtest: BacktestService;
  /** What several processes hold in common. */
  readonly store: SharedStore;
  /** A number of the day that nobody else gets. */
  nextOrderId(): Promise<Result<string>>;
  /** The same person with the rights that the workspace gives them. */
  localCaller(): Result<Caller>;
  writeWorkOrder(prompt: string, wanted?: OrderInput): Promise<Result<WorkOrderV1>>;
  writeToolOrder(tool: string, args: JsonObject, allow?: readonly string[]): Promise<Result<WorkOrderV1>>;
  writeCycleOrder(cycle_id: string, wanted?: CycleOrderInput): Promise<Result<WorkOrderV1>>;
  /** What an order would be allowed, and by whom, without acting. */
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
  /** Proves a session from its bytes up. */
  verifySession(session_id: SessionId): Promise<Verification>;
  /** One turn from its file, under a work order that is written for it. */
  execTurn(document: unknown, how: { readonly dev: boolean; readonly signal?: AbortSignal }): Promise<TurnResultV1>;
  /** Where turns run and quarantine is decided; opened when first asked for. */
  turnService(): Promise<Result<TurnService>>;
  close(): Promise<Result<void>>;
}
