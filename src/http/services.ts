import type { Clock, Result } from "#base";
import type { Decisions, OpenKernel, Runtime } from "#compose";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { Metrics } from "./metrics.ts";
import type { OrderService } from "./orders/order-service.ts";
import type { SanitizeError } from "./sanitize-error.ts";
import type { EventPages } from "./stream/event-pages.ts";
import type { SessionCards } from "./stream/session-cards.ts";
import type { SessionFeeds } from "./stream/session-feed.ts";
import type { SessionIndexes } from "./stream/session-index.ts";
import type { SessionList } from "./stream/session-list.ts";
import type { TextFeeds } from "./stream/text-feed.ts";
import type { Usage } from "./stream/usage.ts";

/** What the routes work with. */
export interface Services {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly version: string;
  readonly startedAt: string;
  readonly orders: OrderService;
  /** The inbox with what follows from its decisions: sessions that waited go on by themselves. */
  readonly decisions: Decisions;
  readonly sessions: SessionList;
  /** What the listed sessions of the budget period have cost. */
  readonly usage: () => Promise<Result<Usage>>;
  /** Sessions in which a person has to decide before they go on, as they were when the list was read. */
  readonly waiting: () => Promise<Result<ReadonlySet<string>>>;
  readonly cards: SessionCards;
  readonly indexes: SessionIndexes;
  readonly pages: EventPages;
  readonly feeds: SessionFeeds;
  readonly texts: TextFeeds;
  readonly metrics: Metrics;
  /** What is told of a failure outside, where it is no answer of its own. */
  readonly sanitizeError: SanitizeError;
  readonly streams: ConcurrencyLimit;
  /** The longest page of a session that is sent. */
  readonly bundleBytes: number;
  /** Whether the studio is part of this build. */
  readonly hasStudio: boolean;
}
