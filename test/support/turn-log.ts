import { shippedRegistry } from "#core/contracts";
import { createIds, systemClock, systemRandom } from "#core/values";
import { type Event, JsonlLog } from "#log";

/** The workspace's real log, without redaction. */
export function openTurnLog(root: string): JsonlLog {
  return new JsonlLog({
    root,
    schemas: shippedRegistry(),
    redactor: { redactJson: (value) => ({ value }) },
    clock: systemClock,
    ids: createIds(systemClock, systemRandom),
  });
}

export async function eventsOf(log: JsonlLog, sessionId: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of log.read(sessionId as never)) {
    if (!event.ok) throw new Error(event.error.message);
    events.push(event.value);
  }
  return events;
}
