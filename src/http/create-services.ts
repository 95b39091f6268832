import { type Clock, isoTime, isSessionId, ok, type Result } from "#base";
import { BlockedWork, type Decisions, type OpenKernel, type Runtime } from "#compose";
import { mostBundleBytes } from "./bundle-of.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { Metrics } from "./metrics.ts";
import { OrderService } from "./orders/order-service.ts";
import { errorSanitizer } from "./sanitize-error.ts";
import type { Services } from "./services.ts";
import { EventPages } from "./stream/event-pages.ts";
import { SessionCards } from "./stream/session-cards.ts";
import { SessionFeeds } from "./stream/session-feed.ts";
import { SessionIndexes } from "./stream/session-index.ts";
import { SessionList } from "./stream/session-list.ts";
import { TextFeeds } from "./stream/text-feed.ts";
import { usageInPeriod } from "./stream/usage.ts";

export interface ServiceOptions {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  /** The part of the following that one caller with a key may hold. */
  readonly callerShare: number;
  readonly maxPendingOrders: number;
  readonly maxStreams: number;
  readonly bundleBytes?: number | undefined;
  readonly hasStudio: boolean;
  /** Ends the flows of this process. */
  readonly ending: AbortSignal;
  readonly onProblem: (message: string) => void;
}

/** What every surface works with, the API and MCP alike. */
export function createServices(options: ServiceOptions): Services {
  const { runtime, kernel, clock, version, hasStudio, onProblem } = options;
  const texts = new TextFeeds();
  const sessions = new SessionList(runtime.log, clock);
  const indexes = new SessionIndexes(runtime.log, runtime.schemas);
  const orders = new OrderService({
    runtime,
    clock,
    limit: new ConcurrencyLimit({ most: options.maxPendingOrders, callerShare: options.callerShare }),
    texts,
    signal: options.ending,
    onProblem,
  });
  const cards = new SessionCards(runtime.log, runtime.schemas, indexes);
  return {
    runtime,
    kernel,
    clock,
    version,
    startedAt: isoTime(clock.now()),
    orders,
    decisions: withBlockedWork(
      runtime.decisionsThat((session_id) => goOn(session_id, orders, onProblem)),
      options,
    ),
    sessions,
    usage: sessions.derived((listed) => usageInPeriod(listed, { cards, runtime, clock })),
    waiting: sessions.derived(() => waitingSessions(runtime)),
    indexes,
    pages: new EventPages(runtime.log, indexes, clock),
    feeds: new SessionFeeds(runtime.log),
    texts,
    cards,
    metrics: new Metrics(),
    sanitizeError: errorSanitizer(onProblem),
    bundleBytes: options.bundleBytes ?? mostBundleBytes,
    streams: new ConcurrencyLimit({ most: options.maxStreams, callerShare: options.callerShare }),
    hasStudio,
  };
}

async function waitingSessions({ inbox }: Pick<Runtime, "inbox">): Promise<Result<ReadonlySet<string>>> {
  const open = await inbox.list({ state: "open", limit: 1000 });
  return open.ok ? ok(new Set(open.value.flatMap(({ session_id }) => (session_id ? [session_id] : [])))) : open;
}

/** The kernel knows of work that the runtime does not. */
function withBlockedWork(decisions: Decisions, { kernel, runtime }: ServiceOptions): Decisions {
  const blocked = new BlockedWork(kernel.kernel, runtime.inbox);
  return {
    ...decisions,
    async collect() {
      const collected = await decisions.collect();
      return collected.ok ? blocked.collect() : collected;
    },
  };
}

/** Whoever waited for a person goes on as soon as they have spoken. One that somebody else took up already is left to them. */
function goOn(session_id: string, orders: OrderService, onProblem: (message: string) => void): void {
  if (!isSessionId(session_id)) return;
  const resumed = orders.resume(session_id);
  if (!resumed.ok) onProblem(`${session_id} does not go on by itself: ${resumed.error.message}`);
}
