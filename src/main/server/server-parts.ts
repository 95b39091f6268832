import type { Skills, Usage } from "#agents";
import type { EvalReportV1, SchemaRegistry, WorkOrderV1 } from "#core/contracts";
import type { RouteDescription, SanitizeError } from "#core/routes";
import type { Clock, ConcurrencyLimit, Result, Semaphore, SessionId } from "#core/values";
import type { ToolRegistry } from "#effects";
import type { GateService, Hooks, PackageInstaller } from "#governance";
import type { EventLog, EventPages, SessionCards, SessionFeeds, SessionIndexes, SessionList, TextFeeds } from "#log";
import type { SharedStore } from "#operate";
import type { Decisions, Inbox, Keyring } from "#people";
import type { Verification } from "#proof";
import type { Documents, Kernel } from "#runs";
import type { CycleOrderInput, HaltControl, OrderInput, OrderService } from "#work";
import type { BacktestService, Workflows } from "#workflows";
import type { WritConfig } from "#workspace";
import type { Metrics } from "../../surface/http/metrics.ts";

/** The sum of what the routes and the MCP tools use. Each of them names its own parts; the table checks them against this. */
export interface ServerParts {
  readonly root: string;
  readonly config: WritConfig;
  readonly clock: Clock;
  readonly version: string;
  readonly startedAt: string;
  readonly hasStudio: boolean;
  readonly schemas: SchemaRegistry;
  readonly sanitizeError: SanitizeError;

  readonly log: EventLog;
  readonly sessions: SessionList;
  readonly cards: SessionCards;
  readonly indexes: SessionIndexes;
  readonly pages: EventPages;
  readonly feeds: SessionFeeds;
  readonly texts: TextFeeds;
  readonly wholeSessions: Semaphore;
  readonly publicKeyFile: string;
  readonly bundleBytes: number;
  readonly verifySession: (session_id: SessionId) => Promise<Verification>;

  readonly inbox: Inbox;
  /** Decisions of this server also resume the sessions that waited for them. */
  readonly decisions: Decisions;
  readonly waiting: () => Promise<Result<ReadonlySet<string>>>;
  readonly keys: Keyring;

  readonly hooks: Hooks;
  readonly packages: PackageInstaller;
  readonly gates: GateService;
  readonly skills: Skills;
  readonly tools: ToolRegistry;
  readonly usage: () => Promise<Result<Usage>>;
  readonly workflows: Workflows;
  readonly workflowsUnder: (law: string) => Promise<Result<Pick<Workflows, "registry">>>;
  readonly backtest: BacktestService;
  readonly evals: { reports(): Promise<readonly EvalReportV1[]> };

  readonly orders: OrderService;
  readonly store: SharedStore;
  readonly writeWorkOrder: (prompt: string, wanted: OrderInput) => Promise<Result<WorkOrderV1>>;
  readonly writeCycleOrder: (cycle_id: string, wanted: CycleOrderInput) => Promise<Result<WorkOrderV1>>;
  readonly nextOrderId: () => Promise<Result<string>>;
  readonly halts: HaltControl;

  readonly kernel: Kernel;
  readonly documents: Documents;

  readonly metrics: Metrics;
  readonly streams: ConcurrencyLimit;
  readonly routes: readonly RouteDescription[];
  readonly openApi: () => object;
}
