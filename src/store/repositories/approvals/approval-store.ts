import type { Answer } from "#base";

/** Questions to people and what was decided, as the store keeps them. */
export interface ApprovalStore {
  /** Puts a question to people. Asked again, it is the one that is there, with what was decided. */
  addApproval(asked: StoredApproval): Answer<StoredApproval>;
  findApproval(approval_id: string): Answer<StoredApproval | undefined>;
  /** The newest first. */
  approvals(query: ApprovalQuery): Answer<readonly StoredApproval[]>;
  /** Says a word on a question. False when it is about something else, when a word stands, or when it is too late. */
  sayWord(said: {
    readonly approval_id: string;
    readonly subject_hash: string;
    readonly word: StoredWord;
    readonly at: string;
  }): Answer<boolean>;
  /** Nothing came of the word: the question is as if nobody had spoken. False when it does not stand, or was carried out. */
  takeBackWord(said: { readonly approval_id: string; readonly choice: string }): Answer<boolean>;
  /** The word that stands has been carried out. False when another stands, or none, or this was told before. */
  decideApproval(decided: {
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
