import type { JsonObject, JsonValue, PatchId, RevisionId, RunId, WorkId } from "#core/values";
import type { DocumentRef } from "./documents.ts";

/**
 * The five records as the kernel holds them in a transaction: the contract's field names, times as epoch milliseconds,
 * and the fields that scheduling needs (epochs, counters). Readers convert them to contract documents.
 */
export interface RunRow {
  readonly run_id: RunId;
  readonly app_id: string;
  readonly objective: string;
  readonly status: "active" | "closed";
  readonly close_reason: CloseReason | null;
  readonly close_message: string | null;
  readonly head_revision_id: RevisionId | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** A filter on claims, not a status. */
  readonly paused: boolean;
  /** The counter that numbers the run's events, advanced under the run's lock. */
  readonly last_seq: number;
  /** Work that has not ended. */
  readonly open_work: number;
  /** The seq of the newest event that the app must be shown. */
  readonly fact_seq: number;
  /** The seq up to which the app has answered. */
  readonly seen_seq: number;
  readonly turn_owner: string | null;
  /** The fencing token of the app's claim on this run. */
  readonly turn_epoch: number;
  readonly turn_expires_at: number | null;
  /** The newest epoch whose actions were applied; recognises a repeated answer. */
  readonly turn_applied_epoch: number;
  /** Turns that failed since the last one that did not. */
  readonly turn_failures: number;
  readonly turn_not_before: number;
  /** When a conductor may claim a turn; null while there is no new fact. */
  readonly turn_due_at: number | null;
}

export type CloseReason = "completed" | "blocked" | "failed" | "canceled";
export type WorkStatus = "queued" | "leased" | "completed" | "failed" | "blocked" | "canceled";

/** The fields of a work item that rules read. Its objective is read only for a lease. */
export interface WorkState {
  /** The store's row number, 0 before the insert: a cheaper key than the id. */
  readonly number: number;
  readonly work_id: WorkId;
  readonly run_id: RunId;
  readonly capability: string;
  readonly status: WorkStatus;
  readonly lease_owner: string | null;
  readonly lease_expires_at: number | null;
  /** The fencing token: incremented with every lease, never reused. */
  readonly lease_epoch: number;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly not_before: number | null;
  /** Dependencies that have not completed yet. */
  readonly waiting_on: number;
  /** How many items name this one as a dependency; 0 saves a query when it ends. */
  readonly dependents: number;
  /** Claimable now: queued, waiting on nothing, and due. */
  readonly ready: boolean;
  /** The owner that ended it; recognises a repeated answer. */
  readonly ended_by: string | null;
}

export interface NewWork extends WorkState {
  readonly objective: string;
  readonly input: JsonObject | null;
  readonly depends_on: readonly WorkId[];
  readonly priority: number;
  readonly idempotency_key: string | null;
}

/** A leased item as a worker receives it. */
export interface Lease {
  readonly run_id: RunId;
  readonly work_id: WorkId;
  readonly capability: string;
  readonly objective: string;
  readonly input: JsonObject | null;
  readonly lease_owner: string;
  readonly lease_epoch: number;
  readonly lease_expires_at: number;
  readonly retry_count: number;
}

/** What a worker must send with every command about a leased item. */
export type LeaseToken = Pick<Lease, "run_id" | "work_id" | "lease_owner" | "lease_epoch">;

/** An item that a claim may lease: its state, and the fields that only the worker reads. */
export interface ReadyWork {
  readonly state: WorkState;
  readonly objective: string;
  readonly input: JsonObject | null;
}

export interface PatchRow {
  readonly patch_id: PatchId;
  readonly run_id: RunId;
  readonly author_kind: "worker" | "user" | "app";
  readonly author_id: string;
  readonly source_work_id: WorkId | null;
  readonly base_revision_id: RevisionId | null;
  readonly ops: readonly JsonValue[];
  readonly applied_in_revision_id: RevisionId | null;
  readonly rejected_in_revision_id: RevisionId | null;
  readonly created_at: number;
}

/** The fields of an existing patch that rules read. */
export type PatchState = Pick<
  PatchRow,
  "patch_id" | "run_id" | "author_id" | "applied_in_revision_id" | "rejected_in_revision_id"
>;

/** A patch that a revision did not apply, and why. */
export interface Rejection {
  readonly patch_id: PatchId;
  readonly reason: string;
}

export interface RevisionRow {
  readonly revision_id: RevisionId;
  readonly run_id: RunId;
  readonly parent_revision_id: RevisionId | null;
  readonly created_by_app_id: string;
  readonly applied_patch_ids: readonly PatchId[];
  readonly rejected_patch_ids: readonly PatchId[];
  readonly rejections: readonly Rejection[];
  readonly document_ref: DocumentRef;
  readonly created_at: number;
}

export interface EventRow {
  readonly run_id: RunId;
  readonly seq: number;
  readonly event_type: KernelEventType;
  /** JSON text; the seal is over its canonical form. */
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: number;
}

export const kernelEventTypes = [
  "run.started",
  "run.closed",
  "run.paused",
  "run.continued",
  "work.requested",
  "work.leased",
  "work.requeued",
  "work.completed",
  "work.failed",
  "work.blocked",
  "work.canceled",
  "patch.submitted",
  "patch.applied",
  "patch.rejected",
  "revision.created",
  "revision.head_changed",
  "app.turn.started",
  "app.turn.completed",
  "app.turn.failed",
] as const;
export type KernelEventType = (typeof kernelEventTypes)[number];
