import type {
  ApprovalV1,
  EventPayloads,
  EventV1,
  PatchV1,
  RevisionV1,
  RunV1,
  SessionSnapshotV1,
  StreamPartV1,
  ThreadV1,
  WorkItemV1,
} from "../../../src/core/contracts/generated/types.ts";

export type { PatchV1, RevisionV1, RunV1, SessionSnapshotV1, StreamPartV1, ThreadV1, WorkItemV1 };

export type ThreadMessage = ThreadV1["messages"][number];

/** A thread in the list, with its last message. */
export interface ThreadInfo {
  readonly thread_id: string;
  readonly message_id: string;
  readonly position: number;
  readonly session_id: string;
  readonly sent_at: string;
}

export type EventType = keyof EventPayloads;

/** An event as it stands in the log; narrowed by its type. */
export type Event = {
  [T in EventType]: Omit<EventV1, "type" | "payload"> & { readonly type: T; readonly payload: EventPayloads[T] };
}[EventType];

export type SessionState =
  | "running"
  | "waiting"
  | "halted"
  | "interrupted"
  | "done"
  | "failed"
  | "refused"
  | "in_doubt"
  | "quarantined";

/** Of an answer the number, and the first names. */
export interface Summary {
  readonly count: number;
  readonly first: readonly string[];
}

export interface SessionInfo {
  readonly session_id: string;
  readonly tier: string;
  readonly started_at: string;
  readonly last_at: string;
  readonly events: number;
  readonly head_hash: string;
  readonly work_order_id: string | null;
  readonly asked?: string | null;
  readonly parent_session_id: string | null;
  readonly closed: boolean;
  readonly ok: boolean | null;
  readonly status: string | null;
  /** A person has to decide before it goes on. */
  readonly waiting?: boolean;
  /** How it stands; absent in what a stream says. */
  readonly state?: SessionState;
  readonly caller_id?: string | null;
  readonly tokens?: number;
  readonly usd?: number;
  /** Absent until the session was read. */
  readonly allowed_by?: Summary;
  readonly saw?: Summary;
  readonly wrote?: Summary;
  /** Acts outside its order that were tried and refused; absent: none. */
  readonly refused_acts?: number;
}

export interface EventPage {
  readonly session_id: string;
  readonly events: readonly Event[];
  readonly next: number | null;
  readonly closed: boolean;
}

export type Approval = ApprovalV1;

/** A halt that stands. */
export interface StandingHalt {
  readonly session_id: string | null;
  readonly by: string;
  readonly reason: string;
  readonly halted_at: string;
  readonly may_lift: boolean;
}

export interface Whoami {
  readonly caller: string;
  readonly roles: readonly string[];
  /** The rights that the API asks for and this caller has. */
  readonly may: readonly string[];
  readonly authenticated_by: string;
  readonly workspace: { readonly name: string };
  readonly version: string;
}
