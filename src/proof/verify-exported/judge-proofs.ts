import type { SchemaRegistry } from "#core/contracts";
import type { AnchorLeaf } from "../anchors/anchor-leaf.ts";
import type { Checkpoint } from "../anchors/checkpoint.ts";
import { checkProof, type Proof } from "../anchors/proof.ts";
import { parseVerifyingKey, type VerifyingKey } from "../anchors/signing-key.ts";
import { signerOf } from "../anchors/succession.ts";
import type { Note, Violation, ViolationKind } from "../verify/violation.ts";

/** What the verifier hands in from outside the record. */
export interface Witnesses {
  readonly keys: readonly VerifyingKey[];
  readonly checkpoint: Checkpoint | undefined;
  /** As they were read; none is believed before it was checked. */
  readonly proofs: readonly unknown[];
}

export interface Judgement {
  /** The heads of the session that stand under a sound root. */
  readonly leaves: readonly AnchorLeaf[];
  /** Whether such a root is signed by a key that did not come with the record. */
  readonly isSigned: boolean;
  /** Whether such a root and the kept checkpoint are of one history. */
  readonly isHeld: boolean;
  readonly violations: readonly Violation[];
  readonly notes: readonly Note[];
}

type Root = Pick<Checkpoint, "tree_size" | "root_hash" | "ts" | "key_id">;
type Inclusion = Proof & { readonly inclusion: NonNullable<Proof["inclusion"]> };

/**
 * What vouches for a record outside its workspace: proofs that its head is under a signed root (one came with it, others may
 * be brought), the key that must have signed, and a checkpoint. What was brought must be met: a record from which the proof
 * was taken away does not pass for one that was never anchored.
 */
export function judgeProofs(
  session_id: string,
  own: unknown,
  witnesses: Witnesses,
  schemas: Pick<SchemaRegistry, "validate">,
): Judgement {
  const violations: Violation[] = [];
  const notes: Note[] = [];
  const blame = (kind: ViolationKind, where: Violation["where"], message: string): void =>
    void violations.push({ kind, at: null, where, message });

  const sound: Proof[] = [];
  for (const proof of own === null || own === undefined ? witnesses.proofs : [own, ...witnesses.proofs]) {
    const checked = checkProof(proof, schemas);
    if (checked.ok) sound.push(checked.value);
    else
      blame(
        checked.error.code === "MALFORMED_INPUT"
          ? "anchor_signature"
          : checked.error.kind === "schema"
            ? "anchor_line"
            : "anchor_root",
        "anchors",
        checked.error.message,
      );
  }
  const inclusions = sound.filter((proof): proof is Inclusion => proof.inclusion?.leaf.session_id === session_id);
  for (const { inclusion } of sound)
    if (inclusion && inclusion.leaf.session_id !== session_id)
      blame("session", "anchors", `a proof is of ${inclusion.leaf.session_id}, the record is of ${session_id}`);

  const { keys, checkpoint } = witnesses;
  const kept = checkpoint && parseVerifyingKey(checkpoint.public_key);
  const trusted = keys.length > 0 ? keys : kept?.ok ? [kept.value] : [];
  const isTrusted = (root: Root): boolean =>
    trusted.some((key) => signerOf(root, key)) ||
    // A sound proof of what was added shows that the older root's key named the newer one's.
    sound.some(
      ({ checkpoint: newer, consistency }) =>
        consistency && newer.key_id === root.key_id && trusted.some((key) => signerOf(consistency.since, key)),
    );
  const foreign = inclusions.find((proof) => !isTrusted(proof.checkpoint));
  if (foreign && trusted.length > 0)
    blame(
      keys.length > 0 ? "anchor_key" : "checkpoint_key",
      keys.length > 0 ? "anchors" : "checkpoint",
      `the root over the session is by the key ${short(foreign.checkpoint.key_id)}, ${keys.length > 0 ? "given" : "the checkpoint"} is ${keys.length > 0 ? trusted.map(({ key_id }) => short(key_id)).join(", ") : `by ${trusted.map(({ key_id }) => short(key_id)).join(", ")}`}`,
    );
  if (checkpoint && keys.length > 0 && !isTrusted(checkpoint))
    blame(
      "checkpoint_key",
      "checkpoint",
      `the checkpoint is by the key ${short(checkpoint.key_id)}, given is ${keys.map(({ key_id }) => short(key_id)).join(", ")}`,
    );

  const held = checkpoint && inclusions.find((proof) => isOneHistory(proof.checkpoint, checkpoint, sound));
  if (checkpoint && !held) {
    const other = inclusions.find((proof) => proof.checkpoint.tree_size === checkpoint.tree_size);
    if (other)
      blame(
        "rewritten",
        "checkpoint",
        `the ${checkpoint.tree_size} heads over which the record has a root do not have the root that the checkpoint of ${checkpoint.ts} names`,
      );
    else if (violations.length === 0) blame("not_proven", "checkpoint", notHeld(checkpoint, inclusions[0]?.checkpoint));
  }
  if (!checkpoint && keys.length > 0 && inclusions.length === 0 && violations.length === 0)
    blame("not_proven", "anchors", `a key was given, and no root that it signed is over this session: ${whatToAskFor}`);

  if (held && checkpoint && held.inclusion.leaf_index >= checkpoint.tree_size)
    notes.push({
      kind: "newer_than_checkpoint",
      message: `the session was anchored after the checkpoint of ${checkpoint.ts}: the history that it is in only adds to the checkpoint`,
    });
  const [first] = inclusions;
  if (first && trusted.length === 0)
    notes.push({
      kind: "no_key",
      message: `no key was given: the root over the session is signed by ${first.checkpoint.key_id.slice(0, 16)}, a key that came with the record; bring one that you had from its owner by another way (--key), or a checkpoint`,
    });
  if (!checkpoint)
    notes.push({
      kind: "no_checkpoint",
      message:
        "no checkpoint was given: a holder of the signing key could have written everything anew; bring one that was kept elsewhere (--checkpoint)",
    });
  return {
    leaves: inclusions.map(({ inclusion }) => inclusion.leaf),
    isSigned: first !== undefined && trusted.length > 0 && !foreign,
    isHeld: held !== undefined,
    violations,
    notes,
  };
}

const whatToAskFor =
  "ask for the exported folder, for the bundle, or for what `writ anchor prove SESSION` prints, and bring that with --proof";

function notHeld(kept: Root, root: Root | undefined): string {
  if (!root) return `nothing leads from this session to the checkpoint of ${kept.ts}: ${whatToAskFor}`;
  return `the session is under the root of ${root.ts} over ${root.tree_size} heads, and nothing shows that it is of one history with the checkpoint of ${kept.ts} over ${kept.tree_size}: give the checkpoint to its owner and ask for what \`writ session export SESSION --since CHECKPOINT\` makes, or bring what \`writ anchor prove --since CHECKPOINT\` and \`writ anchor prove SESSION\` print with --proof`;
}

/** Both roots are the beginning of a third, or of each other: of two beginnings of one list the shorter begins the longer. */
function isOneHistory(one: Root, other: Root, proofs: readonly Proof[]): boolean {
  const later = laterThan(other, proofs);
  return laterThan(one, proofs).some((root) => later.some((each) => isSame(root, each)));
}

/** A root and those that are shown to only add to it. */
function laterThan(root: Root, proofs: readonly Proof[]): readonly Root[] {
  const found: Root[] = [root];
  for (const from of found)
    for (const { consistency, checkpoint } of proofs)
      if (consistency && isSame(consistency.since, from) && !found.some((each) => isSame(each, checkpoint)))
        found.push(checkpoint);
  return found;
}

function isSame(one: Root, other: Root): boolean {
  return one.tree_size === other.tree_size && one.root_hash === other.root_hash;
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
