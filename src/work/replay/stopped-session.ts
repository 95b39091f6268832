import type { SessionId } from "#core/values";
import type { Event } from "#log";

/** A session as its record has it, before a process resumes it. */
export interface StoppedSession {
  readonly session_id: SessionId;
  readonly events: readonly Event[];
}
