import { type Clock, isoTime, isSessionId } from "#base";
import { collectBlockedWork, type Decisions, type OpenKernel, type Runtime } from "#compose";
import { Metrics } from "./metrics.ts";
import { OrderDesk } from "./orders/order-desk.ts";
import type { Services } from "./services.ts";
import { EventPages } from "./stream/event-pages.ts";
import { SessionCards } from "./stream/session-cards.ts";
import { SessionFeeds } from "./stream/session-feed.ts";
import { SessionIndexes } from "./stream/session-index.ts";
import { SessionList } from "./stream/session-list.ts";
import { TextFeeds } from "./stream/text-feed.ts";

export interface ServiceOptions {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  readonly maxPendingOrders: number;
  readonly maxStreams: number;
  readonly hasStudio: boolean;
  /** Ends the flows of this process. */
  readonly ending: AbortSignal;
  readonly onProblem: (message: string) => void;
}

/** What every surface works with, the API and MCP alike. */
export function createServices(options: ServiceOptions): Services {
  const { runtime, kernel, clock, version, hasStudio, onProblem } = options;
  const texts = new TextFeeds();
  const indexes = new SessionIndexes(runtime.log, runtime.schemas);
  const orders = new OrderDesk({
    runtime,
    clock,
    maxPending: options.maxPendingOrders,
    texts,
    signal: options.ending,
    onProblem,
  });
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
    sessions: new SessionList(runtime.log, clock),
    indexes,
    pages: new EventPages(runtime.log, indexes),
    feeds: new SessionFeeds(runtime.log),
    texts,
    cards: new SessionCards(runtime.log, runtime.schemas, indexes),
    metrics: new Metrics(),
    streams: { count: 0, max: options.maxStreams },
    hasStudio,
  };
}

/** The kernel knows of work that the runtime does not. */
function withBlockedWork(decisions: Decisions, { kernel, runtime }: ServiceOptions): Decisions {
  return {
    ...decisions,
    async collect() {
      const collected = await decisions.collect();
      return collected.ok ? collectBlockedWork(kernel.kernel, runtime.inbox) : collected;
    },
  };
}

/** Whoever waited for a person goes on as soon as they have spoken. One that somebody else took up already is left to them. */
function goOn(session_id: string, orders: OrderDesk, onProblem: (message: string) => void): void {
  if (!isSessionId(session_id)) return;
  const resumed = orders.resume(session_id, "inbox");
  if (!resumed.ok) onProblem(`${session_id} does not go on by itself: ${resumed.error.message}`);
}
