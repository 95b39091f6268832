import type { Answer } from "#core/values";

/** Values that were sealed, encrypted. Not rebuilt from the events: those hold handles alone. */
export interface SealedValueStore {
  /** Kept again, a value lives as long as the later one. */
  putSealed(rows: readonly SealedRow[]): Answer<void>;
  /** Those of a session that are not older than their limit; what is, is removed first. */
  findSealed(session_id: string, tags: readonly string[], now: string): Answer<readonly SealedRow[]>;
}

export interface SealedRow {
  readonly session_id: string;
  /** The end of its handle. */
  readonly tag: string;
  readonly kind: string;
  /** The origin as canonical JSON. */
  readonly origin: string;
  /** Nonce, ciphertext and authentication tag in base64. */
  readonly sealed: string;
  readonly expires_at: string;
}
