import type { Answer } from "#core/values";

/** Questions to people and what was decided, as the store keeps them. */
export interface ApprovalStore {
  /** Puts a question to people. Asked again, it is the one that is there, with what was decided. */
  addApproval(asked: StoredApproval): Answer<StoredApproval>;
  findApproval(approval_id: string): Answer<StoredApproval | undefined>;
  /** The newest first. */
  approvals(query: ApprovalQuery): Answer<readonly StoredApproval[]>;
  /** Stores a decision, pending until it is carried out. False when it is about something else, when one is stored, or too late. */
  storeDecision(decided: {
    readonly approval_id: string;
    readonly subject_hash: string;
    readonly decision: PendingDecision;
    readonly at: string;
  }): Answer<boolean>;
  /** Removes a pending decision of which nothing came: the question is open again. False when it is not pending. */
  withdrawDecision(decided: { readonly approval_id: string; readonly choice: string }): Answer<boolean>;
  /** The pending decision has been carried out. False when another is pending, or none, or this one counts already. */
  completeDecision(decided: {
    readonly approval_id: string;
    readonly choice: string;
    readonly at: string;
  }): Answer<boolean>;
}

/** Something that waits for a person, as the store keeps it. */
export interface StoredApproval {
  /** Made of what is asked: the same question has the same id, other arguments have another. */
  readonly approval_id: string;
  readonly kind: string;
  readonly title: string;
  readonly reason: string;
  /** On whose behalf it is asked; they cannot answer it. */
  readonly author: string;
  readonly session_id: string | null;
  readonly run_id: string | null;
  /** Exactly what would be done, as canonical JSON. */
  readonly subject: string;
  readonly subject_hash: string;
  readonly choices: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  /** Pending without a time: what follows from it has not been carried out to its end. */
  readonly decision: StoredDecision | null;
}

export interface PendingDecision {
  readonly choice: string;
  readonly by: string;
  readonly reason: string;
  /** What the person says came of it, as JSON; null when they said nothing. */
  readonly result: string | null;
}

export interface StoredDecision extends PendingDecision {
  /** When it had been carried out. */
  readonly at: string | null;
}

export interface ApprovalQuery {
  readonly decided?: boolean;
  readonly session_id?: string;
  /** Only those asked before this one. */
  readonly before?: string;
  readonly limit: number;
}
