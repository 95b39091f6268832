import { get, type Problem, problemOf } from "../api/client.ts";
import type { Event, EventPage } from "../api/types.ts";

/** About as many as are drawn: what arrives at once is drawn at once, and a frame of twice as many takes twice as long. */
const pageSize = 60;
/** So many pages are held, however long the session: the first, and those that were on the screen last. */
const mostPages = 96;
/** Who drags the scroll bar passes hundreds of pages: only where the view rests for a moment is fetched. */
const restMs = 60;

interface Page {
  readonly events: (Event | undefined)[];
  filled: number;
}

/**
 * The events of a session, fetched by window: a session of 100,000 feels like one of 100. Events lie at their `seq`, so
 * a row knows its place before it is read. A store for `useSyncExternalStore`.
 */
export class EventWindow {
  readonly #session_id: string;
  /** In the order of their last use. */
  readonly #pages = new Map<number, Page>();
  readonly #reading = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  #wanted: readonly number[] = [];
  #rest: ReturnType<typeof setTimeout> | undefined;
  #total: number;
  #version = 0;
  #problem: Problem | null = null;

  constructor(session_id: string, total: number, first: readonly Event[] = []) {
    this.#session_id = session_id;
    this.#total = total;
    for (const event of first) this.#put(event);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  get total(): number {
    return this.#total;
  }

  /** Why what is on the screen could not be read. */
  get problem(): Problem | null {
    return this.#problem;
  }

  /** How many events are held. */
  get held(): number {
    return [...this.#pages.values()].reduce((sum, page) => sum + page.filled, 0);
  }

  at(seq: number): Event | undefined {
    return this.#pages.get(pageOf(seq))?.events[(seq - 1) % pageSize];
  }

  /** Sees to it that these are here, or on their way. */
  want(from: number, to: number): void {
    const wanted: number[] = [];
    for (let page = pageOf(Math.max(1, from)); page <= pageOf(Math.min(Math.max(1, to), this.#total)); page++)
      wanted.push(page);
    const isAsWanted = this.#wanted.join() === wanted.join();
    this.#wanted = wanted;
    for (const page of wanted) this.#touch(page);
    if (isAsWanted && this.#rest !== undefined) return;
    if (wanted.every((page) => this.#isWhole(page) || this.#reading.has(page))) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#fetchWanted(), restMs);
  }

  add(event: Event): void {
    this.#total = Math.max(this.#total, event.seq);
    this.#put(event);
    this.#changed();
  }

  grow(total: number): void {
    if (total <= this.#total) return;
    this.#total = total;
    this.#changed();
  }

  /** What is here of the beginning and around an event, in order: enough to say what belongs to it. */
  near(seq: number): readonly Event[] {
    const here = pageOf(seq);
    const pages = [...new Set([0, 1, here - 2, here - 1, here, here + 1, here + 2])]
      .filter((page) => page >= 0)
      .sort((a, b) => a - b);
    return pages.flatMap((page) => (this.#pages.get(page)?.events ?? []).filter((event) => event !== undefined));
  }

  close(): void {
    clearTimeout(this.#rest);
    for (const stop of this.#reading.values()) stop.abort();
  }

  #fetchWanted(): void {
    this.#rest = undefined;
    for (const [page, stop] of this.#reading) if (!this.#wanted.includes(page)) stop.abort();
    for (const page of this.#wanted) if (!this.#isWhole(page) && !this.#reading.has(page)) void this.#load(page);
  }

  async #load(page: number): Promise<void> {
    const stop = new AbortController();
    this.#reading.set(page, stop);
    try {
      const path = `/sessions/${this.#session_id}/events?after=${page * pageSize}&limit=${pageSize}&unproven=true`;
      const { events } = await get<EventPage>(path, stop.signal);
      for (const event of events) this.#put(event);
      this.#problem = null;
      this.#forget();
    } catch (thrown) {
      if (!stop.signal.aborted) this.#problem = problemOf(thrown);
    }
    this.#reading.delete(page);
    if (!stop.signal.aborted) this.#changed();
  }

  #isWhole(page: number): boolean {
    return (this.#pages.get(page)?.filled ?? 0) >= Math.min(pageSize, this.#total - page * pageSize);
  }

  #put(event: Event): void {
    const number = pageOf(event.seq);
    const page = this.#pages.get(number) ?? { events: [], filled: 0 };
    this.#pages.set(number, page);
    const at = (event.seq - 1) % pageSize;
    if (page.events[at] === undefined) page.filled += 1;
    page.events[at] = event;
  }

  #touch(number: number): void {
    const page = this.#pages.get(number);
    if (!page) return;
    this.#pages.delete(number);
    this.#pages.set(number, page);
  }

  #forget(): void {
    for (const number of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) return;
      if (number !== 0 && !this.#wanted.includes(number)) this.#pages.delete(number);
    }
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

function pageOf(seq: number): number {
  return Math.floor((seq - 1) / pageSize);
}
