import type { SessionSnapshotV1 } from "#core/contracts";
import type { Event, EventType } from "../event.ts";

/** The state of a session, folded from its events. */
export type Snapshot = SessionSnapshotV1;

/** The snapshot while events are still being added. Names from events are keys of maps, so that none is special. */
export type Draft = Omit<Snapshot, "schema_version" | "roles" | "agents" | "amended" | "tools_invoked"> & {
  readonly roles: Map<string, Snapshot["roles"][string]>;
  readonly agents: Map<string, string>;
  readonly calls: Map<string, Snapshot["tools_invoked"][number]>;
};

/** What one type of event does to the draft. A type without a reducer only counts. */
export type Reducers = { readonly [T in EventType]?: (draft: Draft, event: Event<T>) => void };
