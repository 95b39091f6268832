import type { Result, SessionId } from "#core/values";
import type { Event, EventInput, EventType } from "./event.ts";
import type { RecordedHistory } from "./recorded-history.ts";

/** The one way to record. Callers go on with the payload that comes back: it is the redacted one. */
export interface Recorder {
  readonly session_id: SessionId;
  /** What is known from before, where a session is taken up again or forked. Absent in one that runs for the first time. */
  readonly past?: RecordedHistory;
  /** Records and answers once the event is on disk. What an event announces starts only after this. */
  append<T extends EventType>(event: EventInput<T>): Promise<Result<Event<T>>>;
  /**
   * Records in order and answers at once; the event is on disk no later than the next `append` of this session.
   * For facts that announce no effect. If it cannot be made durable, that next `append` fails.
   */
  stage<T extends EventType>(event: EventInput<T>): Result<Event<T>>;
}
