import type { Answer } from "#core/values";

/** API keys, by hash. */
export interface ApiKeyStore {
  /** Every API key that was ever made, oldest first. */
  apiKeys(): Answer<readonly StoredApiKey[]>;
  findApiKey(key_id: string): Answer<StoredApiKey | undefined>;
  addApiKey(key: StoredApiKey): Answer<void>;
  /** False when there is no such key, or it was revoked before. */
  revokeApiKey(key_id: string, revoked: { readonly revoked_at: string; readonly revoked_by: string }): Answer<boolean>;
}

export interface StoredApiKey {
  readonly key_id: string;
  /** Of the whole key; the key itself is nowhere. */
  readonly key_sha256: string;
  readonly caller_id: string;
  /** Of the caller's grants, those that the key has; null: all of them. */
  readonly scope: readonly string[] | null;
  readonly note: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
}
