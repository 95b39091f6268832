import type { Sqlite } from "#core/database";
import type { EventRow } from "../../records.ts";
import { writeOf } from "./sql.ts";

/** Fewer than these are written one by one: below it, unpacking an array costs more than it saves. */
const shortest = 4;

/**
 * Longer payloads are written one by one. What fits in here cannot be nested deeper than SQLite's JSON allows (1,000),
 * whatever a worker put into its result.
 */
const longestPayload = 1_000;

/**
 * Appends the events of a step. Those of a batch mostly differ only in their payloads (two hundred items leased by one
 * worker, two hundred completed), and are then inserted from one JSON array: 1.2 µs an event instead of 2.8. SQLite returns
 * each element with its text unchanged.
 */
export function createEventWriter(database: Sqlite, tenant: string): (events: readonly EventRow[]) => void {
  const insertEvent = writeOf(database, "insert-event");
  const insertEvents = writeOf(database, "insert-events");
  return (events) => {
    for (let from = 0; from < events.length; ) {
      const first = events[from];
      if (!first) return;
      const to = endOfStretch(events, from, first);
      if (to - from >= shortest) {
        let payloads = "";
        for (let index = from; index < to; index++)
          payloads += `${index === from ? "[" : ","}${events[index]?.payload}`;
        insertEvents.run(
          tenant,
          first.run_id,
          first.seq,
          first.event_type,
          first.actor_id,
          first.created_at,
          `${payloads}]`,
        );
        from = to;
      } else {
        insertEvent.run(
          tenant,
          first.run_id,
          first.seq,
          first.event_type,
          first.payload,
          first.actor_id,
          first.created_at,
        );
        from += 1;
      }
    }
  };
}

/** The end of the consecutive events that share run, type and actor. */
function endOfStretch(events: readonly EventRow[], from: number, first: EventRow): number {
  let to = from;
  for (let event = events[to]; event; event = events[++to])
    if (
      event.run_id !== first.run_id ||
      event.event_type !== first.event_type ||
      event.actor_id !== first.actor_id ||
      event.created_at !== first.created_at ||
      event.seq !== first.seq + (to - from) ||
      event.payload.length > longestPayload
    )
      break;
  return to;
}
