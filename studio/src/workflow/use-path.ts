import type { Event, EventPage } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";

export interface Path {
  readonly visited: readonly string[];
  readonly events: readonly Event[];
  readonly ended: boolean;
  /** Under which definitions it began; null where none was pinned. */
  readonly law: string | null;
  readonly isRead: boolean;
  went(from: string, to: string): boolean;
}

/** Where a session went through its cycle, as its events tell it. */
export function usePath(session_id: string | null, live: number): Path {
  const find = encodeURIComponent(`type.startsWith("workflow.")`);
  const { answer } = useGet<EventPage>(
    session_id ? `/sessions/${session_id}/events?limit=1000&unproven=true&find=${find}#${live}` : null,
  );
  const events = answer.state === "there" ? answer.value.events : [];
  const started = events.find((event) => event.type === "workflow.started");
  const steps = events.flatMap((event) =>
    event.type === "workflow.phase_advanced"
      ? [`${event.payload.from_phase} ${event.payload.to_phase}`]
      : event.type === "workflow.started"
        ? [` ${event.payload.entry_phase}`]
        : [],
  );
  return {
    events,
    isRead: answer.state !== "loading",
    law: started?.payload.cycle_hash ?? null,
    ended: events.some(({ type }) => type === "workflow.completed" || type === "workflow.aborted"),
    visited: steps.map((step) => step.split(" ")[1] ?? ""),
    went: (from, to) => steps.includes(`${from} ${to}`),
  };
}
