import type { RevisionV1 } from "#core/contracts";
import type { Result, Sha256 } from "#core/values";

/** Names a document by the hash of its content, so a reference never points to other content later. */
export type DocumentRef = RevisionV1["document_ref"];

/** Documents by content. Nothing is ever changed; the same bytes have the same name. */
export interface Documents {
  /** Resolves once the bytes are on disk. */
  put(content: string | Uint8Array): Promise<Result<DocumentRef>>;
  /** The bytes, checked against their name. `NOT_FOUND`, or `LEDGER_CORRUPT` when they no longer match. */
  get(hash: Sha256): Promise<Result<Uint8Array>>;
  has(hash: Sha256): Promise<Result<boolean>>;
}
