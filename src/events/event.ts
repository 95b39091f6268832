import type { EventId, Sha256 } from "#base";
import type { EventPayloads, EventV1 } from "#schemas";

export type EventType = keyof EventPayloads;

/** One recorded fact, as it stands in the log. */
export type Event<T extends EventType = EventType> = Omit<EventV1, "id" | "type" | "payload" | "hash" | "prev_hash"> & {
  readonly id: EventId;
  readonly type: T;
  readonly payload: EventPayloads[T];
  readonly hash: Sha256;
  readonly prev_hash: Sha256;
};

/** What a caller says; the log adds id, seq, time and chain. */
export type EventInput<T extends EventType = EventType> = T extends EventType
  ? {
      readonly type: T;
      /** Who did it: a role, a component or a person. */
      readonly actor: string;
      readonly payload: EventPayloads[T];
      readonly parent_id?: EventId | null;
    }
  : never;
