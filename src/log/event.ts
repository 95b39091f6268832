import type { EventPayloads, EventV1 } from "#core/contracts";
import type { EventId, Sha256 } from "#core/values";

export type EventType = keyof EventPayloads;

/** What every recorded event carries, whatever its type. */
export type EventFrame = Omit<EventV1, "id" | "type" | "payload" | "hash" | "prev_hash"> & {
  readonly id: EventId;
  readonly hash: Sha256;
  readonly prev_hash: Sha256;
};

/** One recorded event, as it is in the log: a union over the types, so that `type` decides which payload it has. */
export type Event<T extends EventType = EventType> = {
  [K in EventType]: EventFrame & { readonly type: K; readonly payload: EventPayloads[K] };
}[T];

/** What a caller provides; the log adds id, seq, time and chain. */
export type EventInput<T extends EventType = EventType> = T extends EventType
  ? {
      readonly type: T;
      /** Who did it: a role, a component or a person. */
      readonly actor: string;
      readonly payload: EventPayloads[T];
      readonly parent_id?: EventId | null;
    }
  : never;
