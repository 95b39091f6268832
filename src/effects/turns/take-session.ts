import { err, ok } from "#core/values";
import type { Event, EventLog } from "#log";
import type { RecoveryOptions } from "./recover-turns.ts";

/** Takes a dead process's session from the log, so that recovery can say how its turns ended. */
export function takeSessionFrom(log: EventLog): RecoveryOptions["takeSession"] {
  return async (sessionId) => {
    const opened = await log.open(sessionId);
    if (!opened.ok) {
      // Never written, or closed in order before the process died: there is nothing left to say.
      const over = opened.error.code === "NOT_FOUND" || opened.error.code === "SESSION_CLOSED";
      return over ? ok(undefined) : err(opened.error);
    }
    const session = opened.value;
    return ok({
      recorder: session,
      async turnEvents(turnId) {
        const found: Event[] = [];
        for await (const event of log.read(sessionId)) {
          if (!event.ok) break; // the session was opened, so all of it was proven
          const { turn_id, landing_id } = event.value.payload as { turn_id?: string; landing_id?: string };
          if ((turn_id ?? landing_id) === turnId && /^(turn|order)\./.test(event.value.type)) found.push(event.value);
        }
        return found;
      },
      release: async () => {
        await session.release();
      },
    });
  };
}
