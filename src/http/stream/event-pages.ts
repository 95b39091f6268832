import { ok, type Result, type SessionId } from "#base";
import type { ChainMark, Event, LogReader } from "#events";
import type { SessionIndexes } from "./session-index.ts";

export interface EventPage {
  readonly events: readonly Event[];
  /** The seq to go on after; null at the end of what is recorded. */
  readonly next: number | null;
  readonly closed: boolean;
}

export interface PageWishes {
  readonly after: number;
  readonly limit: number;
  /** Only types that begin like this. */
  readonly type: string | undefined;
  readonly isWanted?: (event: Event) => boolean;
  /** What the lines say, unproven: for whoever proves them himself, and must see what is broken too. */
  readonly unproven?: boolean;
}

/** How many events one request reads at most, however few of them it wants. */
const maxRead = 20_000;
/** Before this one reads from the beginning: that is sooner done than an index made. */
const nearTheBeginning = 1_000;

/** Pages of a session. One from the middle is read from a mark of the session's index, not from the beginning. */
export class EventPages {
  readonly #reader: LogReader;
  readonly #indexes: SessionIndexes;

  constructor(reader: LogReader, indexes: SessionIndexes) {
    this.#reader = reader;
    this.#indexes = indexes;
  }

  async page(session_id: SessionId, wishes: PageWishes): Promise<Result<EventPage>> {
    const { after, limit, type, isWanted, unproven = false } = wishes;
    const mark = await this.#markBefore(session_id, after);
    if (!mark.ok) return mark;
    const events: Event[] = [];
    let read = 0;
    let last: Event | undefined;
    let isMore = false;
    for await (const found of this.#reader.read(session_id, {
      ...(mark.value ? { after: mark.value } : {}),
      verify: !unproven,
    })) {
      if (!found.ok) return found;
      if (events.length === limit || (last && read === maxRead)) {
        isMore = true;
        break;
      }
      const event = found.value;
      last = event;
      if (event.seq <= after) continue;
      read += 1;
      if ((type === undefined || event.type.startsWith(type)) && (isWanted?.(event) ?? true)) events.push(event);
    }
    return ok({ events, next: isMore && last ? last.seq : null, closed: last?.type === "session.close" });
  }

  async #markBefore(session_id: SessionId, seq: number): Promise<Result<ChainMark | undefined>> {
    if (seq < nearTheBeginning) return ok(undefined);
    const index = await this.#indexes.of(session_id);
    return index.ok ? ok(index.value.markBefore(seq)) : index;
  }
}
