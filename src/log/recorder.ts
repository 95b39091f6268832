import type { Result, SessionId } from "#core/values";
import type { Event, EventInput, EventType } from "./event.ts";
import type { RecordedHistory } from "./recorded-history.ts";

/** The one way to record. Callers continue with the payload that is returned: it is the redacted one. */
export interface Recorder {
  readonly session_id: SessionId;
  /** What is known from before, in a session that is resumed or forked. Absent in one that runs for the first time. */
  readonly past?: RecordedHistory;
  /** The recorder that this one wraps; counters that are kept per recorder belong to it. */
  readonly over?: Recorder;
  /** Records and resolves once the event is on disk. What an event announces starts only after this. */
  append<T extends EventType>(event: EventInput<T>): Promise<Result<Event<T>>>;
  /**
   * Records in order and returns at once; the event is on disk no later than the next `append` of this session. For
   * facts that announce no effect. If it cannot be made durable, that next `append` fails.
   */
  stage<T extends EventType>(event: EventInput<T>): Result<Event<T>>;
}
