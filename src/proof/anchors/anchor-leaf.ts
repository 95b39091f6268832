import type { AnchorLeafV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, type Sha256 } from "#core/values";
import type { Event } from "#log";

/** The head of one session at one moment; `closed_at` is null while it is open. */
export type AnchorLeaf = AnchorLeafV1;

/** The port through which the head of a closed session reaches the anchor log. */
export interface Anchors {
  /**
   * Answers once the head is under a signed root on disk. A head that is there already is not added again; the caller says
   * when none of its session can be there, because it has just been created.
   */
  add(leaf: NewLeaf, session?: { readonly isUnanchored: boolean }): Promise<Result<void>>;
  /** The newest head of a session that stands under a signed root; absent where the anchors cannot be asked for one session. */
  standing?(session_id: string): Promise<Result<AnchoredHead | undefined>>;
  /** Nothing more will be added. */
  close?(): void;
}

export interface AnchoredHead {
  readonly seq: number;
  readonly hash: Sha256;
}

export type NewLeaf = Omit<AnchorLeaf, "kind">;

/** A head that is there, or an older one than is there, adds nothing. */
export function isCovered({ seq, head_hash }: NewLeaf, known: AnchoredHead | undefined): boolean {
  return known !== undefined && (known.hash === head_hash || known.seq > seq);
}

/** A head for an event that is anchored as another one: signing it too would vouch for a rewritten session. */
export function isContradiction({ seq, head_hash }: NewLeaf, known: AnchoredHead | undefined): boolean {
  return known !== undefined && known.seq === seq && known.hash !== head_hash;
}

/** Those of a batch that are new, each event once, and those that contradict what is anchored or what stands before them. */
export function sortLeaves(
  leaves: readonly NewLeaf[],
  headOf: (session_id: string) => AnchoredHead | undefined,
): { readonly fresh: readonly NewLeaf[]; readonly refused: ReadonlySet<NewLeaf> } {
  const newest = new Map<string, AnchoredHead>();
  const fresh: NewLeaf[] = [];
  const refused = new Set<NewLeaf>();
  for (const leaf of leaves) {
    const known = newest.get(leaf.session_id) ?? headOf(leaf.session_id);
    if (isContradiction(leaf, known)) refused.add(leaf);
    else if (!isCovered(leaf, known)) {
      fresh.push(leaf);
      newest.set(leaf.session_id, { seq: leaf.seq, hash: leaf.head_hash });
    }
  }
  return { fresh, refused };
}

/** The result for one leaf of a batch: an error for a refused leaf; the others of the batch are anchored all the same. */
export function answerTo(leaf: NewLeaf, written: Result<ReadonlySet<NewLeaf>>): Result<void> {
  if (!written.ok) return written;
  return written.value.has(leaf) ? err(anchoredOtherwise(leaf)) : ok(undefined);
}

function anchoredOtherwise({ session_id, seq }: NewLeaf): DomainError {
  return domainError(
    "LEDGER_CORRUPT",
    `event ${seq} of ${session_id} is anchored, and it is another one now: it is not signed a second time`,
    { details: { session_id, seq, hint: `\`writ session verify ${session_id}\` says more` } },
  );
}

/** What a closed session leaves in the anchor log. */
export function leafOf(close: Event<"session.close">): NewLeaf {
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
export function openLeaf(session_id: string, head: { readonly seq: number; readonly hash: Sha256 }): NewLeaf {
  return { session_id, seq: head.seq, head_hash: head.hash, exec_head: null, evidence_head: null, closed_at: null };
}

/** The bytes that are hashed into the tree. */
export function leafText(leaf: NewLeaf): string {
  const { session_id, seq, head_hash, exec_head, evidence_head, closed_at } = leaf;
  return canonicalJson({ closed_at, evidence_head, exec_head, head_hash, kind: "leaf", seq, session_id });
}
