import { get } from "../api/client.ts";
import type { Event, EventPage } from "../api/types.ts";

export const pageSize = 250;

/**
 * The events of a session, fetched by window: a session of 100,000 feels like one of 100. Events lie at their `seq`, so
 * a row knows its place before it is read. A store for `useSyncExternalStore`.
 */
export class EventWindow {
  readonly #session_id: string;
  readonly #events = new Map<number, Event>();
  readonly #asked = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #total: number;
  #version = 0;

  constructor(session_id: string, total: number) {
    this.#session_id = session_id;
    this.#total = total;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  get total(): number {
    return this.#total;
  }

  at(seq: number): Event | undefined {
    return this.#events.get(seq);
  }

  /** Sees to it that these are here, or on their way. */
  want(from: number, to: number): void {
    for (let page = Math.floor((from - 1) / pageSize); page * pageSize < Math.min(to, this.#total); page++)
      if (page >= 0 && !this.#asked.has(page)) void this.#load(page);
  }

  add(event: Event): void {
    this.#events.set(event.seq, event);
    this.#total = Math.max(this.#total, event.seq);
    this.#changed();
  }

  /** What is here, in order. */
  loaded(): readonly Event[] {
    return [...this.#events.values()].sort((a, b) => a.seq - b.seq);
  }

  async #load(page: number): Promise<void> {
    this.#asked.add(page);
    try {
      const path = `/sessions/${this.#session_id}/events?after=${page * pageSize}&limit=${pageSize}`;
      const { events } = await get<EventPage>(path);
      for (const event of events) this.#events.set(event.seq, event);
      // A page that was not full yet grows: it is asked for again when wanted.
      if (events.length < pageSize && (page + 1) * pageSize <= this.#total) this.#asked.delete(page);
    } catch (thrown) {
      this.#asked.delete(page);
      console.warn("events could not be read; scrolling there asks again", thrown);
    }
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
