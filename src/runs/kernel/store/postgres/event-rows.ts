import type { RunId } from "#core/values";
import type { EventRow } from "../../records.ts";

/** Events of one run, one after another, that differ in nothing but their payloads. */
export interface EventsTogether {
  readonly run_id: RunId;
  readonly event_type: EventRow["event_type"];
  readonly actor_id: string;
  /** That of the first of them. */
  readonly seq: number;
  lines: number;
  /** A line each: JSON holds no line break. */
  payload: string;
}

/** A row that is longer is cut up and put elsewhere by the database. */
const longest = 1_800;

/** The rows in which a step's events are kept. A row for each event was a third of what the server did in a drain. */
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
