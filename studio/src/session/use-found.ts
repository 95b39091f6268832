import { useEffect, useMemo, useSyncExternalStore } from "react";
import { get, type Problem, problemOf } from "../api/client.ts";
import type { Event, EventPage } from "../api/types.ts";
import { filterQuery, type View } from "./filter-query.ts";

const pageSize = 500;
/** A live session announces many events at once: they are searched together. */
const gatherMs = 200;

/** Events that match a filter, read as far as the reader scrolls. A store for `useSyncExternalStore`. */
export class FoundEvents {
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #events: readonly Event[] = [];
  #next: number | null = 0;
  #known: number;
  #reading = false;
  #gather: ReturnType<typeof setTimeout> | undefined;
  #problem: Problem | null = null;
  #version = 0;

  constructor(session_id: string, wanted: string, total: number) {
    this.#path = `/sessions/${session_id}/events?unproven=true&limit=${pageSize}&${wanted}`;
    this.#known = total;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  get events(): readonly Event[] {
    return this.#events;
  }

  get complete(): boolean {
    return this.#next === null;
  }

  get problem(): Problem | null {
    return this.#problem;
  }

  more(): void {
    if (!this.#reading && this.#next !== null) void this.#read(this.#next);
  }

  /** The session has more events: only the new ones are searched; what was found stays. */
  grow(total: number): void {
    if (total <= this.#known) return;
    clearTimeout(this.#gather);
    this.#gather = setTimeout(() => {
      if (this.#next === null && !this.#problem) this.#next = this.#known;
      this.#known = total;
      this.more();
    }, gatherMs);
  }

  close(): void {
    clearTimeout(this.#gather);
    this.#stop.abort();
  }

  async #read(after: number): Promise<void> {
    this.#reading = true;
    try {
      const page = await get<EventPage>(`${this.#path}&after=${after}`, this.#stop.signal);
      const last = this.#events.at(-1)?.seq ?? 0;
      this.#events = [...this.#events, ...page.events.filter(({ seq }) => seq > last)];
      this.#next = page.next;
      // The server reads so many events and no more per request: where none of them matched, it goes on.
      if (page.events.length === 0 && page.next !== null) return await this.#read(page.next);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      this.#next = null;
      this.#problem = problemOf(thrown);
    }
    this.#reading = false;
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

/** Null without a filter. `total` counts the session's events: those that a live session adds are searched too. */
export function useFound(session_id: string, view: View, typed: string, total: number): FoundEvents | null {
  const wanted = useMemo(() => filterQuery(view, typed), [view, typed]);
  const found = useMemo(
    () => (wanted === null ? null : new FoundEvents(session_id, wanted, total)),
    // biome-ignore lint/correctness/useExhaustiveDependencies: a session that grows is read on, not again
    [session_id, wanted],
  );
  useEffect(() => {
    found?.more();
    return () => found?.close();
  }, [found]);
  useEffect(() => found?.grow(total), [found, total]);
  useSyncExternalStore(found?.subscribe ?? nothing, found?.version ?? zero);
  return found;
}

const nothing = () => () => undefined;
const zero = () => 0;
