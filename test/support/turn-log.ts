import { createIds, systemClock, systemRandom } from "#base";
import { type Event, JsonlLog } from "#events";
import { shippedRegistry } from "#schemas";

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
