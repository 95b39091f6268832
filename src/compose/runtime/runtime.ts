import type { Caller, Clock, Failpoint, JsonObject, Random, Result, SessionId } from "#base";
import type { EventKinds, EventLog, Verification } from "#events";
import type { FlowOptions, FlowRequest, FlowResult, OrderExplanation, StepStrategy } from "#flow";
import type { Decisions, Inbox, Keyring } from "#governance";
import type { Hooks } from "#hooks";
import type { SchemaRegistry, TurnResultV1, WorkOrderV1 } from "#schemas";
import type { Skills } from "#skills";
import type { SharedStore } from "#store";
import type { ToolRegistry } from "#tools";
import type { Workflows } from "#workflows";
import type { BacktestDesk } from "../backtest/backtest-desk.ts";
import type { Environment } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";
import type { GateDesk } from "../packages/gate-desk.ts";
import type { Packages } from "../packages/open-packages.ts";
import type { ToolApprovals } from "../policy/tool-approvals.ts";
import type { TurnDesk } from "../turns/turn-desk.ts";
import type { ForkControl } from "./fork-session.ts";
import type { HaltControl } from "./halt-control.ts";
import type { KeyedOrders } from "./keyed-orders.ts";
import type { SessionControl } from "./session-control.ts";
import type { CycleWishes } from "./write-cycle-order.ts";
import type { OrderWishes } from "./write-work-order.ts";

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
  readonly eventKinds: EventKinds;
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
  readonly gates: GateDesk;
  /** API keys: made, listed, taken back, recognised. */
  readonly keys: Keyring;
  /** Who acts when nobody else is named: the local user. */
  readonly caller: string;
  /** Rules judged over the recorded past. */
  readonly backtest: BacktestDesk;
  /** What several processes hold in common. */
  readonly store: SharedStore;
  /** A number of the day that nobody else gets. */
  nextOrderId(): Promise<Result<string>>;
  /** The same person with the rights that the workspace gives them. */
  localCaller(): Result<Caller>;
  writeWorkOrder(prompt: string, wishes?: OrderWishes): Promise<Result<WorkOrderV1>>;
  writeToolOrder(tool: string, args: JsonObject, allow?: readonly string[]): Promise<Result<WorkOrderV1>>;
  writeCycleOrder(cycle_id: string, wishes?: CycleWishes): Promise<Result<WorkOrderV1>>;
  /** What an order would be allowed, and by whom, without acting. */
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
  /** Proves a session from its bytes up. */
  verifySession(session_id: SessionId): Promise<Verification>;
  /** One turn from its file, under a work order that is written for it. */
  execTurn(document: unknown, how: { readonly dev: boolean; readonly signal?: AbortSignal }): Promise<TurnResultV1>;
  /** Where turns run and quarantine is decided; opened when first asked for. */
  turnDesk(): Promise<Result<TurnDesk>>;
  close(): Promise<Result<void>>;
}
