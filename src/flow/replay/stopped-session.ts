import type { SessionId } from "#base";
import type { Event } from "#events";

/** A session as it stands in its record, before somebody goes on with it. */
export interface StoppedSession {
  readonly session_id: SessionId;
  readonly events: readonly Event[];
}
