import { ok, type SessionId } from "#base";
import type { Event, EventLog } from "#events";
import type { Inbox } from "#governance";
import type { ToolApprovals } from "../policy/tool-approvals.ts";
import type { SessionControl } from "../runtime/session-control.ts";
import { WatchForPeople } from "./watch-for-people.ts";

/** A session that is taken up again leaves questions to people as one does that was never stopped. */
export function watchResumed(
  control: SessionControl,
  {
    inbox,
    tools,
    log,
    caller,
  }: {
    readonly inbox: Inbox;
    readonly tools: ToolApprovals;
    readonly log: EventLog;
    /** Whose questions they are when the record does not say. */
    readonly caller: string;
  },
): SessionControl {
  return {
    ...control,
    async resumeSession(session_id, options = {}) {
      const watch = new WatchForPeople(inbox, tools);
      const onEvent = (event: Event) => {
        watch.see(event);
        options.onEvent?.(event);
      };
      const resumed = await control.resumeSession(session_id, { ...options, onEvent });
      if (!resumed.ok) return resumed;
      return ok(await watch.settle(resumed.value, (await authorOf(log, session_id)) ?? caller));
    },
  };
}

/** Who asked for it when it began: they cannot decide about it either. */
async function authorOf(log: EventLog, session_id: SessionId): Promise<string | undefined> {
  for await (const event of log.read(session_id))
    return event.ok && event.value.type === "session.start"
      ? (event.value as Event<"session.start">).payload.caller_id
      : undefined;
  return undefined;
}
