import { domainError } from "#core/errors";
import { type Clock, err, ok, type Result, type SessionId, TimeSlice } from "#core/values";
import type { Event } from "../event.ts";
import type { LogReader } from "../event-log.ts";
import type { ChainMark } from "../line.ts";
import type { SessionIndexes } from "./session-index.ts";

export interface EventPage {
  readonly events: readonly Event[];
  /** The seq to go on after; null at the end of what is recorded. */
  readonly next: number | null;
  readonly closed: boolean;
}

export interface PageOptions {
  readonly after: number;
  readonly limit: number;
  /** Only types that begin like this. */
  readonly type: string | undefined;
  readonly only?: Filter;
  /** Skips verification, for a client that verifies the lines itself and must see broken ones too. */
  readonly unproven?: boolean;
}

/** The condition of the caller on the events of a page. */
export interface Filter {
  readonly isWanted: (event: Event) => Result<boolean>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Events that one request reads at most, however few match. */
const maxRead = 20_000;
/** Before this number a page is read from the beginning, which is faster than making an index. */
const nearTheBeginning = 1_000;
/**
 * How long one request evaluates its filter. An expression within all limits took 12.7 ms an event; the next page goes on
 * from there.
 */
const filterMs = 1_000;

/** Pages of a session. A page from the middle is read from a mark of the session's index, not from the beginning. */
export class EventPages {
  readonly #reader: LogReader;
  readonly #indexes: SessionIndexes;
  readonly #clock: Clock;

  constructor(reader: LogReader, indexes: SessionIndexes, clock: Clock) {
    this.#reader = reader;
    this.#indexes = indexes;
    this.#clock = clock;
  }

  async page(session_id: SessionId, wanted: PageOptions): Promise<Result<EventPage>> {
    const { after, limit, type, only, unproven = false } = wanted;
    const slice = only && new TimeSlice({ clock: this.#clock, signal: only.signal, mostMs: filterMs });
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
      if (slice?.isDue) await slice.rest();
      if (only?.signal.aborted) return err(domainError("CANCELED", "the client disconnected or the server closes"));
      if (events.length === limit || (last && read === maxRead) || slice?.isOver) {
        isMore = true;
        break;
      }
      const event = found.value;
      last = event;
      if (event.seq <= after) continue;
      read += 1;
      if (type !== undefined && !event.type.startsWith(type)) continue;
      const wanted = only && slice ? slice.measure(() => only.isWanted(event)) : ok(true);
      if (!wanted.ok) return wanted;
      if (wanted.value) events.push(event);
    }
    return ok({ events, next: isMore && last ? last.seq : null, closed: last?.type === "session.close" });
  }

  async #markBefore(session_id: SessionId, seq: number): Promise<Result<ChainMark | undefined>> {
    if (seq < nearTheBeginning) return ok(undefined);
    const index = await this.#indexes.of(session_id);
    return index.ok ? ok(index.value.markBefore(seq)) : index;
  }
}
