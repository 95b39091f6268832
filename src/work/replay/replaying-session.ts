import type { Result } from "#core/values";
import type { Event, EventInput, EventType, RecordedHistory } from "#log";
import type { SessionMiddleware } from "../flow/layered-session.ts";
import type { OwnHistory } from "./own-history.ts";

/**
 * A session that goes on: what its record holds already is given back instead of being written, and the rest is written
 * as ever. Callers go on with what comes back, so ids and times are those of the first telling.
 */
export function replayOwnRecord(past: OwnHistory): SessionMiddleware {
  return (next) => ({
    past,
    append<T extends EventType>(input: EventInput<T>): Promise<Result<Event<T>>> {
      const known = past.take(input);
      return known ? Promise.resolve({ ok: true, value: known }) : next.append(input);
    },
    stage<T extends EventType>(input: EventInput<T>): Result<Event<T>> {
      const known = past.take(input);
      return known ? { ok: true, value: known } : next.stage(input);
    },
  });
}

/** A session of its own, which knows what its parent did up to the point where it was forked. */
export function knowParent(past: RecordedHistory): SessionMiddleware {
  return () => ({ past });
}
