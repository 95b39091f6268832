import type { Event, EventPage } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";

export interface Path {
  readonly visited: readonly string[];
  readonly events: readonly Event[];
  readonly ended: boolean;
  went(from: string, to: string): boolean;
}

/** Where a session went through its cycle, as its events tell it. */
export function usePath(session_id: string | null): Path {
  const find = encodeURIComponent(`type.startsWith("workflow.")`);
  const { answer } = useGet<EventPage>(
    session_id ? `/sessions/${session_id}/events?limit=1000&unproven=true&find=${find}` : null,
  );
  const events = answer.state === "there" ? answer.value.events : [];
  const steps = events.flatMap((event) =>
    event.type === "workflow.phase_advanced"
      ? [`${event.payload.from_phase} ${event.payload.to_phase}`]
      : event.type === "workflow.started"
        ? [` ${event.payload.entry_phase}`]
        : [],
  );
  return {
    events,
    ended: events.some(({ type }) => type === "workflow.completed" || type === "workflow.aborted"),
    visited: steps.map((step) => step.split(" ")[1] ?? ""),
    went: (from, to) => steps.includes(`${from} ${to}`),
  };
}
