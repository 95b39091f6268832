import { useEffect, useMemo, useState } from "react";
import { get, type Problem, problemOf } from "../api/client.ts";
import type { Event, EventPage } from "../api/types.ts";
import { expressionOf, type View } from "./filters.tsx";

export interface FoundEvents {
  readonly events: readonly Event[];
  readonly complete: boolean;
  readonly problem: Problem | null;
  more(): void;
}

const pageSize = 500;

/** Events that a filter lets through, read as far as somebody scrolls. Null while nothing is filtered. */
export function useFound(session_id: string, view: View, expression: string): FoundEvents | null {
  const filter = useMemo(() => expressionOf(view, expression), [view, expression]);
  const [state, setState] = useState<{
    events: readonly Event[];
    next: number | null;
    problem: Problem | null;
    wanted: number;
  }>(fresh);
  useEffect(() => setState(fresh), [session_id, filter]);
  const { next, wanted } = state;
  useEffect(() => {
    if (filter === null || next === null) return;
    const stop = new AbortController();
    get<EventPage>(
      `/sessions/${session_id}/events?after=${next}&limit=${pageSize}&find=${encodeURIComponent(filter)}`,
      stop.signal,
    ).then(
      (page) =>
        setState((before) => ({
          ...before,
          events: [...before.events, ...page.events],
          next: page.next,
          problem: null,
        })),
      (thrown) => stop.signal.aborted || setState((before) => ({ ...before, next: null, problem: problemOf(thrown) })),
    );
    return () => stop.abort();
    // One page more each time that more is wanted, or when a page came back empty and there is further to look.
  }, [session_id, filter, wanted, state.events.length === 0 ? next : 0]);
  if (filter === null) return null;
  return {
    events: state.events,
    complete: next === null,
    problem: state.problem,
    more: () => setState((before) => (before.next === null ? before : { ...before, wanted: before.events.length })),
  };
}

const fresh = { events: [], next: 0, problem: null, wanted: 0 };
