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
  /** A word that somebody said. Without a time it stands, and what follows from it has not been carried out to its end. */
  readonly decision: StoredDecision | null;
}

export interface StoredWord {
  readonly choice: string;
  readonly by: string;
  readonly reason: string;
  /** What the person says came of it, as JSON; null when they said nothing. */
  readonly result: string | null;
}

export interface StoredDecision extends StoredWord {
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
