import type { AnchorProofV1 } from "#core/contracts";

/** A session with everything that proves it, for a reader without Writ. */
export interface ProofBundle {
  readonly format: "writ-proof-bundle";
  readonly version: 1;
  readonly writ_version: string;
  readonly exported_at: string;
  readonly session_id: string;
  /** Lines as they stand in the files, without their LF. */
  readonly events: readonly string[];
  readonly exec: readonly string[];
  readonly evidence: readonly string[];
  /** That the session's head is under a signed root; null when it is not anchored yet. */
  readonly proof: AnchorProofV1 | null;
}

export interface BundleCheck {
  readonly name: string;
  /** null: there is nothing to check, which is shown but is no failure. */
  readonly ok: boolean | null;
  readonly detail: string;
}

export interface BundleVerdict {
  readonly ok: boolean;
  readonly checks: readonly BundleCheck[];
}
