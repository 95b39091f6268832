import type {
  EventPayloads,
  EventV1,
  PatchV1,
  RevisionV1,
  RunV1,
  SessionSnapshotV1,
  WorkItemV1,
} from "../../../src/schemas/generated/types.ts";

export type { PatchV1, RevisionV1, RunV1, SessionSnapshotV1, WorkItemV1 };

export type EventType = keyof EventPayloads;

/** An event as it stands in the log; narrowed by its type. */
export type Event = {
  [T in EventType]: Omit<EventV1, "type" | "payload"> & { readonly type: T; readonly payload: EventPayloads[T] };
}[EventType];

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
}

export interface SessionDetail {
  readonly info: SessionInfo;
  readonly snapshot: SessionSnapshotV1;
  readonly asked: string | null;
  readonly caller_id: string | null;
  readonly waiting: readonly ApprovalSummary[];
}

export interface EventPage {
  readonly session_id: string;
  readonly events: readonly Event[];
  readonly next: number | null;
  readonly closed: boolean;
}

export interface ApprovalSummary {
  readonly approval_id: string;
  readonly kind: string;
  readonly state: "open" | "approved" | "denied" | "expired" | "withdrawn";
  readonly title: string;
  readonly reason: string;
  readonly requested_by: string;
  readonly session_id: string | null;
  readonly run_id: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
}

export interface Approval extends ApprovalSummary {
  readonly subject: Readonly<Record<string, unknown>>;
  readonly subject_text: string;
  readonly shown: string;
  readonly warnings: readonly { readonly at: number; readonly code_point: string; readonly name: string }[];
  readonly subject_hash: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
  readonly choices: readonly string[];
}

export interface Whoami {
  readonly caller: string;
  readonly roles: readonly string[];
  readonly authenticated_by: string;
  readonly workspace: { readonly name: string };
  readonly version: string;
}
