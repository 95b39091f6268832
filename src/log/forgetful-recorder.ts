import { type Clock, type IdSource, isoTime, ok, type Result, sha256, zeroHash } from "#core/values";
import type { Event, EventInput, EventType } from "./event.ts";
import { recordedAs } from "./narrow-event.ts";
import type { Recorder } from "./recorder.ts";

/** A recorder that answers like a session and stores nothing: for canaries, and for previews of an order. */
export function forgetfulRecorder({ clock, ids }: { readonly clock: Clock; readonly ids: IdSource }): Recorder {
  const session_id = ids.sessionId();
  let seq = 0;
  const record = <T extends EventType>(input: EventInput<T>): Result<Event<T>> => {
    seq += 1;
    const place = { id: ids.eventId(), seq, session_id, ts: isoTime(clock.now()), schema_version: "v1" as const };
    return ok(recordedAs(input, { ...place, prev_hash: zeroHash, hash: sha256(String(seq)) }));
  };
  return { session_id, stage: record, append: async (input) => record(input) };
}
