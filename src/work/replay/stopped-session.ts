import type { SessionId } from "#core/values";
import type { Event } from "#log";

/** A session as it stands in its record, before somebody goes on with it. */
export interface StoppedSession {
  readonly session_id: SessionId;
  readonly events: readonly Event[];
}
