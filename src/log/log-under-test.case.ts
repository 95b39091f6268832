import type { EventLog } from "./event-log.ts";
import type { PayloadRedactor } from "./payload-redactor.ts";

/** A driver of the log, as its cases see it. */
export interface LogUnderTest {
  /** A new location for logs. */
  readonly place: () => string;
  readonly open: (place: string, options?: { redactor?: PayloadRedactor; maxPayloadBytes?: number }) => EventLog;
}
