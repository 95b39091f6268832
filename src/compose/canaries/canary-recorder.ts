import { type Clock, type IdSource, isoTime, type JsonObject, ok, type Result, sha256, zeroHash } from "#base";
import type { Event, EventInput, EventType, Recorder } from "#events";

/** Canaries leave nothing in the log: what they cause to be recorded is forgotten here. */
export function canaryRecorder(clock: Clock, ids: IdSource): Recorder {
  const session_id = ids.sessionId();
  let seq = 0;
  const record = <T extends EventType>(input: EventInput<T>): Result<Event<T>> => {
    seq += 1;
    const event = {
      id: ids.eventId(),
      seq,
      session_id,
      ts: isoTime(clock.now()),
      type: input.type,
      actor: input.actor,
      payload: input.payload as unknown as JsonObject,
      schema_version: "v1",
      parent_id: input.parent_id ?? null,
      prev_hash: zeroHash,
      hash: sha256(String(seq)),
    };
    return ok(event as unknown as Event<T>);
  };
  return { session_id, stage: record, append: async (input) => record(input) };
}
