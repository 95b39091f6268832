import type { Event, EventInput, EventType } from "./event.ts";

export function isEvent<T extends EventType>(event: Event, type: T): event is Event<T> {
  return event.type === type;
}

/** Whether an event records this input: two of one type have payloads of one shape. */
export function isRecordOf<T extends EventType>(event: Event, input: EventInput<T>): event is Event<T> {
  return event.type === input.type;
}

export function eventsOf<T extends EventType>(events: readonly Event[], type: T): Event<T>[] {
  return events.filter((event) => isEvent(event, type));
}

export function firstOf<T extends EventType>(events: readonly Event[], type: T): Event<T> | undefined {
  return events.find((event) => isEvent(event, type));
}

/** The payload of `session.start`, the first event of every session in the log. */
export function startOf(events: readonly Event[]): Event<"session.start">["payload"] {
  const [first] = events;
  if (first?.type === "session.start") return first.payload;
  throw new Error(`a session begins with session.start, this one with ${first?.type ?? "nothing"}`);
}

type Place = Omit<Event<"session.start">, "type" | "actor" | "payload" | "parent_id">;

/** The event that a recorder makes of an input, where no log is written. */
export function recordedAs<T extends EventType>(input: EventInput<T>, place: Place): Event<T>;
export function recordedAs({ type, actor, payload, parent_id = null }: EventInput, place: Place): object {
  return { ...place, type, actor, payload, parent_id };
}
