import type { SchemaRegistry } from "#core/contracts";
import type { Clock } from "#core/values";
import type { EventKinds } from "../event-kind.ts";
import type { EventLog } from "../event-log.ts";
import { EventPages } from "./event-pages.ts";
import { SessionCards } from "./session-cards.ts";
import { SessionFeeds } from "./session-feed.ts";
import { SessionIndexes } from "./session-index.ts";
import { SessionList } from "./session-list.ts";
import { TextFeeds } from "./text-feed.ts";

/** How a server reads sessions: as a list, cards, pages and streams. They share one index for each session. */
export interface SessionReaders {
  readonly sessions: SessionList;
  readonly cards: SessionCards;
  readonly indexes: SessionIndexes;
  readonly pages: EventPages;
  readonly feeds: SessionFeeds;
  readonly texts: TextFeeds;
}

export function sessionReaders(sources: {
  readonly log: EventLog;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly kinds: EventKinds;
}): SessionReaders {
  const { log, schemas, clock, kinds } = sources;
  const indexes = new SessionIndexes({ reader: log, schemas, kinds });
  return {
    sessions: new SessionList(log, clock),
    cards: new SessionCards(log, schemas, indexes),
    indexes,
    pages: new EventPages(log, indexes, clock),
    feeds: new SessionFeeds(log),
    texts: new TextFeeds(),
  };
}
