import { useEffect, useMemo, useSyncExternalStore } from "react";
import { get, type Problem, problemOf } from "../api/client.ts";
import type { Event, EventPage } from "../api/types.ts";
import { expressionOf, type View } from "./filters.tsx";

const pageSize = 500;

/** Events that a filter lets through, read as far as somebody scrolls. A store for `useSyncExternalStore`. */
export class FoundEvents {
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #events: readonly Event[] = [];
  #next: number | null = 0;
  #reading = false;
  #problem: Problem | null = null;
  #version = 0;

  constructor(session_id: string, filter: string) {
    this.#path = `/sessions/${session_id}/events?limit=${pageSize}&find=${encodeURIComponent(filter)}`;
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

  close(): void {
    this.#stop.abort();
  }

  async #read(after: number): Promise<void> {
    this.#reading = true;
    try {
      const page = await get<EventPage>(`${this.#path}&after=${after}`, this.#stop.signal);
      this.#events = [...this.#events, ...page.events];
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

/** Null while nothing is filtered. `grown` counts the session's events: a live session is read again as it grows. */
export function useFound(session_id: string, view: View, expression: string, grown: number): FoundEvents | null {
  const filter = useMemo(() => expressionOf(view, expression), [view, expression]);
  const found = useMemo(
    () => (filter === null ? null : new FoundEvents(session_id, filter)),
    // biome-ignore lint/correctness/useExhaustiveDependencies: a longer session has more to find
    [session_id, filter, grown],
  );
  useEffect(() => {
    found?.more();
    return () => found?.close();
  }, [found]);
  useSyncExternalStore(found?.subscribe ?? nothing, found?.version ?? zero);
  return found;
}

const nothing = () => () => undefined;
const zero = () => 0;
