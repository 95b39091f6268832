import { canonicalJson, ok, type Result, type SessionId } from "#base";
import type { ChainMark, Event, LogReader } from "#events";

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
}

/** How many events one request reads at most, however few of them it wants. */
const maxRead = 20_000;
const maxSessions = 256;
const marksPerSession = 512;

/** Pages of a session. Remembers where pages ended, so that the next one is read from there and not from the beginning. */
export class EventPages {
  readonly #reader: LogReader;
  readonly #marks = new Map<SessionId, ChainMark[]>();

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  async page(session_id: SessionId, { after, limit, type, isWanted }: PageWishes): Promise<Result<EventPage>> {
    const mark = this.#markBefore(session_id, after);
    const events: Event[] = [];
    let bytes = mark?.bytes ?? 0;
    let read = 0;
    let last: Event | undefined;
    let isMore = false;
    for await (const found of this.#reader.read(session_id, mark ? { after: mark } : {})) {
      if (!found.ok) return found;
      if (events.length === limit || (last && read === maxRead)) {
        isMore = true;
        break;
      }
      const event = found.value;
      bytes += Buffer.byteLength(canonicalJson(event)) + 1;
      last = event;
      if (event.seq <= after) continue;
      read += 1;
      if ((type === undefined || event.type.startsWith(type)) && (isWanted?.(event) ?? true)) events.push(event);
    }
    if (last) this.#remember(session_id, { seq: last.seq, hash: last.hash, bytes });
    return ok({ events, next: isMore && last ? last.seq : null, closed: last?.type === "session.close" });
  }

  #markBefore(session_id: SessionId, seq: number): ChainMark | undefined {
    return this.#marks.get(session_id)?.findLast((mark) => mark.seq <= seq);
  }

  #remember(session_id: SessionId, mark: ChainMark): void {
    const marks = this.#marks.get(session_id) ?? [];
    this.#marks.delete(session_id); // and set again: the least used session is the first to be forgotten
    this.#marks.set(session_id, marks);
    const at = marks.findIndex((each) => each.seq >= mark.seq);
    if (at === -1) marks.push(mark);
    else if (marks[at]?.seq !== mark.seq) marks.splice(at, 0, mark);
    if (marks.length > marksPerSession) marks.splice(1, 1);
    if (this.#marks.size > maxSessions) {
      const [oldest] = this.#marks.keys();
      if (oldest !== undefined) this.#marks.delete(oldest);
    }
  }
}
