import { shippedRegistry } from "#core/contracts";
import {
  type Clock,
  canonicalJson,
  createIds,
  err,
  isoTime,
  ok,
  type Result,
  type SessionId,
  seededRandom,
  sha256,
  zeroHash,
} from "#core/values";
import { type Event, type EventInput, type EventType, type Recorder } from "#log";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { recordedAs } from "../../src/log/narrow-event.ts";

export interface MemoryRecorder extends Recorder {
  readonly events: Event[];
  /** The payloads of one type, in order. */
  of<T extends EventType>(type: T): Event<T>["payload"][];
}

/** A log in memory, for tests of rooms above it: it checks payloads and chains events as the real one does, and forgets. */
export function memoryRecorder(options: { clock?: Clock; seed?: number } = {}): MemoryRecorder {
  const clock = options.clock ?? manualClock();
  const ids = createIds(clock, seededRandom(options.seed ?? 1));
  const schemas = shippedRegistry();
  const session_id: SessionId = ids.sessionId();
  const events: Event[] = [];
  const record = <T extends EventType>(input: EventInput<T>): Result<Event<T>> => {
    const checked = schemas.validate(`${input.type}_v1`, input.payload);
    if (!checked.ok) return err(checked.error);
    const said = structuredClone(input);
    const place = {
      id: ids.eventId(),
      seq: events.length + 1,
      session_id,
      ts: isoTime(clock.now()),
      schema_version: "v1" as const,
      prev_hash: events.at(-1)?.hash ?? zeroHash,
    };
    const { hash: _, ...body } = recordedAs(said, { ...place, hash: zeroHash });
    const event = recordedAs(said, { ...place, hash: sha256(canonicalJson(body)) });
    events.push(event);
    return ok(event);
  };
  return {
    session_id,
    events,
    of: (type) => events.filter((event) => event.type === type).map((event) => event.payload) as never,
    append: (event) => Promise.resolve(record(event)),
    stage: (event) => record(event),
  };
}
