import { canonicalJson, type Result, type Sha256 } from "#base";
import type { AnchorLeafV1 } from "#schemas";
import type { Event } from "../event.ts";

/** The head of one session at one moment; `closed_at` is null while it is open. */
export type AnchorLeaf = AnchorLeafV1;

/** Whoever closes sessions hands their heads to an anchor. */
export interface Anchors {
  /** Answers once the head is under a signed root on disk. A head that is there already is not added again. */
  add(leaf: Omit<AnchorLeaf, "kind">): Promise<Result<void>>;
  /** The newest head of a session that stands under a signed root; absent where the anchors cannot be asked for one session. */
  standing?(session_id: string): Promise<Result<AnchoredHead | undefined>>;
  /** Nothing more will be added. */
  close?(): void;
}

export interface AnchoredHead {
  readonly seq: number;
  readonly hash: Sha256;
}

/** What a closed session leaves in the anchor log. */
export function leafOf(close: Event<"session.close">): Omit<AnchorLeaf, "kind"> {
  const { exec_head, evidence_head } = close.payload;
  return {
    session_id: close.session_id,
    seq: close.seq,
    head_hash: close.hash,
    exec_head,
    evidence_head,
    closed_at: close.ts,
  };
}

/** An open session at an interval: its ledgers' heads are not named by any event yet. */
export function openLeaf(
  session_id: string,
  head: { readonly seq: number; readonly hash: Sha256 },
): Omit<AnchorLeaf, "kind"> {
  return { session_id, seq: head.seq, head_hash: head.hash, exec_head: null, evidence_head: null, closed_at: null };
}

/** The bytes that are hashed into the tree. */
export function leafText(leaf: Omit<AnchorLeaf, "kind">): string {
  const { session_id, seq, head_hash, exec_head, evidence_head, closed_at } = leaf;
  return canonicalJson({ closed_at, evidence_head, exec_head, head_hash, kind: "leaf", seq, session_id });
}
