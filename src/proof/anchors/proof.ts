import type { AnchorProofV1, SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { leafText } from "./anchor-leaf.ts";
import { checkpointFile, parseCheckpoint } from "./checkpoint.ts";
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  type TreeHash,
  verifyConsistency,
  verifyInclusion,
} from "./merkle.ts";
import type { AnchorRecord } from "./read-anchors.ts";
import { parseVerifyingKey, type VerifyingKey } from "./signing-key.ts";
import { leadingTo, signerOf } from "./succession.ts";

/** A document that convinces someone who has nothing of the workspace but its public key (RFC 9162). */
export type Proof = AnchorProofV1;

/** That the newest head of a session is under the newest signed root. */
export function proveSession(session_id: SessionId, record: AnchorRecord, key: VerifyingKey): Result<Proof> {
  const index = record.leaves.findLastIndex((leaf) => leaf.session_id === session_id);
  const leaf = record.leaves[index];
  const newest = record.checkpoints.at(-1);
  if (!leaf || !newest) return err(notAnchored(session_id));
  return ok({
    schema_version: "v1",
    checkpoint: checkpointFile(newest, key),
    inclusion: { leaf, leaf_index: index, hashes: hex(inclusionProof(record.hashes, index)) },
  });
}

/** That the newest signed root only adds to an older one. */
export function proveSince(old: Proof["checkpoint"], record: AnchorRecord, key: VerifyingKey): Result<Proof> {
  const newest = record.checkpoints.at(-1);
  if (!newest || newest.tree_size < old.tree_size)
    return err(
      domainError(
        "LEDGER_CORRUPT",
        `the workspace has ${newest?.tree_size ?? 0} heads, fewer than the ${old.tree_size} of the older checkpoint: it was rolled back`,
      ),
    );
  if (!signerOf(old, key))
    return err(
      domainError("NOT_FOUND", `the checkpoint is by the key ${old.key_id.slice(0, 16)}, which never signed here`, {
        details: { hint: "it is of another workspace: `writ session verify --all` says which key signs in this one" },
      }),
    );
  const hashes = consistencyProof(record.hashes, old.tree_size);
  const [oldRoot, newRoot] = [bytes(old.root_hash), bytes(newest.root_hash)];
  if (!verifyConsistency({ oldSize: old.tree_size, oldRoot, newSize: newest.tree_size, newRoot, proof: hashes }))
    return err(
      domainError(
        "LEDGER_CORRUPT",
        `the first ${old.tree_size} heads do not have the root that the checkpoint of ${old.ts} names: they were written anew`,
      ),
    );
  return ok({
    schema_version: "v1",
    checkpoint: checkpointFile(newest, key),
    consistency: {
      since: old,
      hashes: hex(hashes),
      ...(old.key_id === newest.key_id ? {} : { successions: (key.retired ?? []).map(({ succession }) => succession) }),
    },
  });
}

/** Checks a proof by itself: signatures, then the path of hashes. */
export function checkProof(value: unknown, schemas: Pick<SchemaRegistry, "validate">): Result<Proof> {
  const valid = schemas.validate("anchor_proof_v1", value);
  if (!valid.ok) return valid;
  const proof = valid.value;
  const { checkpoint, inclusion, consistency } = proof;
  for (const one of consistency ? [checkpoint, consistency.since] : [checkpoint]) {
    const signed = parseCheckpoint(JSON.stringify(one), schemas);
    if (!signed.ok) return signed;
  }
  const root = bytes(checkpoint.root_hash);
  if (inclusion) {
    const leaf = leafHash(leafText(inclusion.leaf));
    const claim = {
      leaf,
      index: inclusion.leaf_index,
      size: checkpoint.tree_size,
      root,
      proof: inclusion.hashes.map(bytes),
    };
    if (!verifyInclusion(claim)) return err(notProven("the session's head is not under the checkpoint's root"));
  }
  if (consistency) {
    const { since } = consistency;
    const newer = parseVerifyingKey(checkpoint.public_key);
    if (!newer.ok) return newer;
    const retired = leadingTo(newer.value.key_id, consistency.successions ?? []);
    if (!signerOf(since, { ...newer.value, retired }))
      return err(notProven("the two checkpoints are by different keys, and the older one's did not name the other"));
    const claim = {
      oldSize: since.tree_size,
      oldRoot: bytes(since.root_hash),
      newSize: checkpoint.tree_size,
      newRoot: root,
      proof: consistency.hashes.map(bytes),
    };
    if (!verifyConsistency(claim))
      return err(notProven("the newer root does not begin with what the older one covers"));
  }
  return ok(proof);
}

function hex(hashes: readonly TreeHash[]): string[] {
  return hashes.map((hash) => hash.toString("hex"));
}

function bytes(text: string): TreeHash {
  return Buffer.from(text, "hex");
}

function notProven(message: string) {
  return domainError("LEDGER_CORRUPT", `the proof does not hold: ${message}`);
}

export function notAnchored(session_id: SessionId): DomainError {
  return domainError("NOT_FOUND", `${session_id} is not anchored`, {
    details: { hint: "a session is anchored when it closes" },
  });
}
