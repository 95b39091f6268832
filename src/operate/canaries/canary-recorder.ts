import { type Clock, type IdSource, isoTime, ok, type Result, sha256, zeroHash } from "#core/values";
import { type Event, type EventInput, type EventType, type Recorder, recordedAs } from "#log";

/** Canaries leave nothing in the log: what they cause to be recorded is forgotten here. */
export function canaryRecorder(clock: Clock, ids: IdSource): Recorder {
  const session_id = ids.sessionId();
  let seq = 0;
  const record = <T extends EventType>(input: EventInput<T>): Result<Event<T>> => {
    seq += 1;
    const place = { id: ids.eventId(), seq, session_id, ts: isoTime(clock.now()), schema_version: "v1" as const };
    return ok(recordedAs(input, { ...place, prev_hash: zeroHash, hash: sha256(String(seq)) }));
  };
  return { session_id, stage: record, append: async (input) => record(input) };
}
