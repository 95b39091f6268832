import type { JsonObject, PatchId, RevisionId, RunId, WorkId } from "#core/values";
import type { DocumentRef } from "./documents.ts";
import type { CloseReason, Lease, LeaseToken, PatchRow, Rejection, RunRow } from "./records.ts";

/** Every command of the kernel. The caller makes the ids, so a repeated command is recognised as the same one. */
export type Command =
  | StartRun
  | PauseRun
  | ContinueRun
  | CancelRun
  | RequestWork
  | ClaimWork
  | ExtendLease
  | CompleteWork
  | FailWork
  | BlockWork
  | ReleaseWork
  | SubmitPatch
  | Sweep
  | ClaimTurn
  | ExtendTurn
  | ApplyTurn
  | FailTurn;

export interface StartRun {
  readonly kind: "start_run";
  readonly run_id: RunId;
  readonly app_id: string;
  readonly objective: string;
  readonly actor_id: string;
}

export interface PauseRun {
  readonly kind: "pause_run";
  readonly run_id: RunId;
  readonly actor_id: string;
}

export interface ContinueRun {
  readonly kind: "continue_run";
  readonly run_id: RunId;
  readonly actor_id: string;
}

export interface CancelRun {
  readonly kind: "cancel_run";
  readonly run_id: RunId;
  readonly actor_id: string;
  readonly message?: string;
}

export interface WorkRequest {
  readonly work_id: WorkId;
  readonly capability: string;
  readonly objective: string;
  /** Work ids of the run, or idempotency keys under which the run knows them. */
  readonly depends_on: readonly string[];
  readonly idempotency_key: string | null;
  readonly input?: JsonObject | null;
  /** Higher goes first; 0 unless said. */
  readonly priority?: number;
  readonly not_before?: number | null;
  readonly max_retries?: number;
}

/** A request for work outside of a turn. Only the run's own app may make it. */
export interface RequestWork {
  readonly kind: "request_work";
  readonly run_id: RunId;
  readonly actor_id: string;
  readonly work: readonly WorkRequest[];
}

/** How far a module is isolated from the machine; T1 is not at all. The history says it of each lease and turn. */
export type Tier = "T1" | "T2" | "T3";

export interface ClaimWork {
  readonly kind: "claim_work";
  readonly capabilities: readonly string[];
  readonly lease_owner: string;
  readonly lease_ms: number;
  readonly limit: number;
  /** The isolation that the handlers run in; absent where they are the process's own code. */
  readonly tier?: Tier | undefined;
}

export interface ExtendLease {
  readonly kind: "extend_lease";
  readonly lease: LeaseToken;
  readonly lease_ms: number;
}

export type NewPatch = Pick<PatchRow, "patch_id" | "base_revision_id" | "ops">;

export interface CompleteWork {
  readonly kind: "complete_work";
  readonly lease: LeaseToken;
  readonly patches: readonly NewPatch[];
  /** What the worker reports with the result, such as work order and session. */
  readonly result?: JsonObject | undefined;
}

export interface FailWork {
  readonly kind: "fail_work";
  readonly lease: LeaseToken;
  readonly reason: string;
  readonly code?: string;
}

export interface BlockWork {
  readonly kind: "block_work";
  readonly lease: LeaseToken;
  readonly reason: string;
}

/** Handing a lease back is its immediate expiry. */
export interface ReleaseWork {
  readonly kind: "release_work";
  readonly lease: LeaseToken;
  readonly reason: string;
}

export interface SubmitPatch {
  readonly kind: "submit_patch";
  readonly run_id: RunId;
  readonly author_kind: PatchRow["author_kind"];
  readonly author_id: string;
  readonly patch: NewPatch;
  /** Required of a worker: the lease under which it submits. */
  readonly lease?: LeaseToken;
}

/** Returns expired leases to the queue, or fails them. */
export interface Sweep {
  readonly kind: "sweep";
  readonly limit: number;
}

export interface ClaimTurn {
  readonly kind: "claim_turn";
  readonly app_ids: readonly string[];
  readonly turn_owner: string;
  readonly turn_ms: number;
  readonly limit: number;
  /** The isolation that each app runs in; absent where it is the process's own code. */
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
}

export interface TurnToken {
  readonly run_id: RunId;
  readonly turn_owner: string;
  readonly turn_epoch: number;
}

export interface TurnClaim extends TurnToken {
  readonly app_id: string;
  readonly objective: string;
  readonly head_revision_id: RevisionId | null;
  readonly seen_seq: number;
  /** The run's last seq at the claim: the turn answers for everything up to here. */
  readonly up_to_seq: number;
  readonly turn_expires_at: number;
  readonly turn_failures: number;
}

/** A heartbeat for a turn that takes long. */
export interface ExtendTurn {
  readonly kind: "extend_turn";
  readonly turn: TurnToken;
  readonly turn_ms: number;
}

/** A patch that the app itself writes, and the work order in which it was thought out. */
export interface OwnPatch extends Pick<PatchRow, "patch_id" | "ops"> {
  readonly work_order_id?: string;
  readonly session_id?: string;
}

export type TurnAction =
  | ({ readonly type: "request_work" } & WorkRequest)
  | {
      readonly type: "create_revision";
      readonly revision_id: RevisionId;
      readonly parent_revision_id: RevisionId | null;
      readonly applied_patch_ids: readonly PatchId[];
      readonly rejected_patch_ids: readonly PatchId[];
      readonly document_ref: DocumentRef;
      readonly rejections: readonly Rejection[];
      readonly own_patches?: readonly OwnPatch[];
    }
  | {
      readonly type: "close_run";
      readonly reason: CloseReason;
      readonly message?: string;
      readonly unless_news?: boolean;
    }
  | { readonly type: "noop" };

export interface ApplyTurn {
  readonly kind: "apply_turn";
  readonly turn: TurnToken;
  readonly up_to_seq: number;
  readonly actions: readonly TurnAction[];
}

export interface FailTurn {
  readonly kind: "fail_turn";
  readonly turn: TurnToken;
  readonly code: string;
  readonly reason: string;
  /** The conductor is shutting down. The turn is not counted as a failure of the app, and another conductor may claim it at once. */
  readonly handed_back?: boolean;
}

/** What each accepted command returns. */
export interface Outcomes {
  readonly start_run: RunRow;
  readonly pause_run: RunRow;
  readonly continue_run: RunRow;
  readonly cancel_run: RunRow;
  readonly request_work: readonly WorkId[];
  readonly claim_work: readonly Lease[];
  readonly extend_lease: { readonly lease_expires_at: number };
  readonly complete_work: { readonly repeated: boolean };
  readonly fail_work: { readonly repeated: boolean };
  readonly block_work: { readonly repeated: boolean };
  readonly release_work: { readonly repeated: boolean };
  readonly submit_patch: { readonly repeated: boolean };
  readonly sweep: { readonly expired: number };
  readonly claim_turn: readonly TurnClaim[];
  readonly extend_turn: { readonly turn_expires_at: number };
  readonly apply_turn: { readonly repeated: boolean };
  readonly fail_turn: { readonly closed: boolean };
}

export type CommandKind = Command["kind"];
export type CommandOf<K extends CommandKind> = Extract<Command, { readonly kind: K }>;
