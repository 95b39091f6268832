import type { Clock, Result, SessionId, Turnstile } from "#base";
import type { BacktestDesk, CycleWishes, GateDesk, HaltControl, OrderWishes, PackageDesk, WritConfig } from "#compose";
import type { EventLog, Verification } from "#events";
import type { Decisions, Inbox, Keyring } from "#governance";
import type { Hooks } from "#hooks";
import type { Documents, Kernel } from "#kernel";
import type { EvalReportV1, SchemaRegistry, WorkOrderV1 } from "#schemas";
import type { Skills } from "#skills";
import type { SharedStore } from "#store";
import type { ToolRegistry } from "#tools";
import type { Workflows } from "#workflows";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { Metrics } from "./metrics.ts";
import type { OrderService } from "./orders/order-service.ts";
import type { RouteDescription } from "./route.ts";
import type { SanitizeError } from "./sanitize-error.ts";
import type { EventPages } from "./stream/event-pages.ts";
import type { SessionCards } from "./stream/session-cards.ts";
import type { SessionFeeds } from "./stream/session-feed.ts";
import type { SessionIndexes } from "./stream/session-index.ts";
import type { SessionList } from "./stream/session-list.ts";
import type { TextFeeds } from "./stream/text-feed.ts";
import type { Usage } from "./stream/usage.ts";

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
  readonly wholeSessions: Turnstile;
  readonly publicKeyFile: string;
  readonly bundleBytes: number;
  readonly verifySession: (session_id: SessionId) => Promise<Verification>;

  readonly inbox: Inbox;
  /** Decisions of this server also resume the sessions that waited for them. */
  readonly decisions: Decisions;
  readonly waiting: () => Promise<Result<ReadonlySet<string>>>;
  readonly keys: Keyring;

  readonly hooks: Hooks;
  readonly packages: PackageDesk;
  readonly gates: GateDesk;
  readonly skills: Skills;
  readonly tools: ToolRegistry;
  readonly usage: () => Promise<Result<Usage>>;
  readonly workflows: Workflows;
  readonly workflowsUnder: (law: string) => Promise<Result<Pick<Workflows, "registry">>>;
  readonly backtest: BacktestDesk;
  readonly evals: { reports(): Promise<readonly EvalReportV1[]> };

  readonly orders: OrderService;
  readonly store: SharedStore;
  readonly writeWorkOrder: (prompt: string, wishes: OrderWishes) => Promise<Result<WorkOrderV1>>;
  readonly writeCycleOrder: (cycle_id: string, wishes: CycleWishes) => Promise<Result<WorkOrderV1>>;
  readonly nextOrderId: () => Promise<Result<string>>;
  readonly halts: HaltControl;

  readonly kernel: Kernel;
  readonly documents: Documents;

  readonly metrics: Metrics;
  readonly streams: ConcurrencyLimit;
  readonly routes: readonly RouteDescription[];
  readonly openApi: () => object;
}
