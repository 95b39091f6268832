import { join } from "node:path";
import { errorSanitizer } from "#core/routes";
import { type Clock, ConcurrencyLimit, isoTime, isSessionId, ok, type Result, Semaphore } from "#core/values";
import { EventPages, SessionCards, SessionFeeds, SessionIndexes, SessionList, TextFeeds } from "#log";
import type { Decisions } from "#people";
import { BlockedWork, type OpenKernel } from "#runs";
import { evalService, OrderService } from "#work";
import { usageInPeriod } from "../../agents/http/usage.ts";
import { mostBundleBytes } from "../../proof/http/bundle-of.ts";
import { Metrics } from "../../surface/http/metrics.ts";
import { openApiDocument } from "../../surface/http/openapi/document.ts";
import { type Runtime } from "../parts.ts";
import { eventKinds } from "../tables/events.ts";
import { allRoutes } from "../tables/routes.ts";
import type { ServerParts } from "./server-parts.ts";

export interface ServerPartsOptions {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  /** The share of the following limits that one caller with a key may hold. */
  readonly callerShare: number;
  readonly maxPendingOrders: number;
  readonly maxStreams: number;
  readonly bundleBytes?: number | undefined;
  readonly hasStudio: boolean;
  /** Aborts the flows of this process. */
  readonly ending: AbortSignal;
  readonly onProblem: (message: string) => void;
}

/** Requests that hold a whole session in memory at once: there is one event loop, so more would only take more memory. */
const wholeSessionsAtOnce = 2;

/** The parts of the API and of MCP. */
export function createServerParts(options: ServerPartsOptions): ServerParts {
  const { runtime, clock, version, onProblem, callerShare } = options;
  const { root, config, schemas, log, inbox, store } = runtime;
  const { kernel, documents } = options.kernel;
  const texts = new TextFeeds();
  const sessions = new SessionList(log, clock);
  const indexes = new SessionIndexes({ reader: log, schemas, kinds: eventKinds });
  const cards = new SessionCards(log, schemas, indexes);
  const limit = new ConcurrencyLimit({ most: options.maxPendingOrders, callerShare });
  const orders = new OrderService({
    runner: runtime,
    store,
    log,
    clock,
    limit,
    texts,
    signal: options.ending,
    onProblem,
  });
  let document: object | undefined;
  return {
    root,
    config,
    clock,
    version,
    startedAt: isoTime(clock.now()),
    hasStudio: options.hasStudio,
    schemas,
    sanitizeError: errorSanitizer(onProblem),
    log,
    sessions,
    cards,
    indexes,
    pages: new EventPages(log, indexes, clock),
    feeds: new SessionFeeds(log),
    texts,
    wholeSessions: new Semaphore(wholeSessionsAtOnce),
    publicKeyFile: join(root, config.signing.public_key),
    bundleBytes: options.bundleBytes ?? mostBundleBytes,
    verifySession: (session_id) => runtime.verifySession(session_id),
    inbox,
    decisions: withBlockedWork(
      runtime.decisionsThat((session_id) => resumeDecided(session_id, orders, onProblem)),
      options,
    ),
    waiting: sessions.derived(() => waitingSessions(runtime)),
    keys: runtime.keys,
    hooks: runtime.hooks,
    packages: runtime.packages.installer,
    gates: runtime.gates,
    skills: runtime.skills,
    tools: runtime.tools,
    usage: sessions.derived((listed) => usageInPeriod(listed, { cards, config, clock })),
    workflows: runtime.workflows,
    workflowsUnder: (law) => runtime.workflowsUnder(law),
    backtest: runtime.backtest,
    evals: evalService(runtime, clock),
    orders,
    store,
    writeWorkOrder: (prompt, wanted) => runtime.writeWorkOrder(prompt, wanted),
    writeCycleOrder: (cycle_id, wanted) => runtime.writeCycleOrder(cycle_id, wanted),
    nextOrderId: () => runtime.nextOrderId(),
    halts: runtime,
    kernel,
    documents,
    metrics: new Metrics(),
    streams: new ConcurrencyLimit({ most: options.maxStreams, callerShare }),
    routes: allRoutes,
    openApi: () => {
      document ??= openApiDocument(allRoutes, schemas, version);
      return document;
    },
  };
}

async function waitingSessions({ inbox }: Pick<Runtime, "inbox">): Promise<Result<ReadonlySet<string>>> {
  const open = await inbox.list({ state: "open", limit: 1000 });
  return open.ok ? ok(new Set(open.value.flatMap(({ session_id }) => (session_id ? [session_id] : [])))) : open;
}

/** Collects blocked work of the kernel as well, which the runtime does not know. */
function withBlockedWork(decisions: Decisions, { kernel, runtime }: ServerPartsOptions): Decisions {
  const blocked = new BlockedWork(kernel.kernel, runtime.inbox);
  return {
    ...decisions,
    async collect() {
      const collected = await decisions.collect();
      return collected.ok ? blocked.collect() : collected;
    },
  };
}

/** Resumes a session once its question is decided, unless another process has resumed it. */
function resumeDecided(session_id: string, orders: OrderService, onProblem: (message: string) => void): void {
  if (!isSessionId(session_id)) return;
  const resumed = orders.resume(session_id);
  if (!resumed.ok) onProblem(`${session_id} does not go on by itself: ${resumed.error.message}`);
}
