import type { RunId } from "#core/values";
import type { EventRow } from "../../records.ts";

/** Consecutive events of one run that differ only in their payloads. */
export interface EventsTogether {
  readonly run_id: RunId;
  readonly event_type: EventRow["event_type"];
  readonly actor_id: string;
  /** The seq of the first of them. */
  readonly seq: number;
  lines: number;
  /** One line per event: JSON text contains no line break. */
  payload: string;
}

/** PostgreSQL moves the columns of a longer row to its TOAST table. */
const longest = 1_800;

/** Groups a step's events into rows. One row per event was a third of the server's work in a drain. */
export function eventRows(events: readonly EventRow[]): readonly EventsTogether[] {
  const rows: EventsTogether[] = [];
  const filling = new Map<RunId, EventsTogether>();
  for (const { run_id, event_type, actor_id, seq, payload } of events) {
    const row = filling.get(run_id);
    if (
      row &&
      row.event_type === event_type &&
      row.actor_id === actor_id &&
      row.payload.length + payload.length < longest
    ) {
      row.lines += 1;
      row.payload += `\n${payload}`;
    } else {
      const next: EventsTogether = { run_id, event_type, actor_id, seq, lines: 1, payload };
      filling.set(run_id, next);
      rows.push(next);
    }
  }
  return rows;
}
