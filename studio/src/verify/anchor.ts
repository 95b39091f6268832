import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { AnchorProofV1 } from "../../../src/schemas/generated/types.ts";
import { canonical } from "./chain.ts";

export type SessionProof = AnchorProofV1;

/** RFC 9162, 2.1.3.2: the path of hashes leads from the session's head to the signed root. */
export function inclusionHolds({ checkpoint, inclusion }: SessionProof): boolean {
  if (!inclusion || inclusion.leaf_index >= checkpoint.tree_size) return false;
  const { closed_at, evidence_head, exec_head, head_hash, kind, seq, session_id } = inclusion.leaf;
  const leaf = canonical({ closed_at, evidence_head, exec_head, head_hash, kind, seq, session_id });
  let hash: Uint8Array = sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(leaf)));
  let index = inclusion.leaf_index;
  let last = checkpoint.tree_size - 1;
  for (const step of inclusion.hashes) {
    if (last === 0) return false;
    const sibling = hexToBytes(step);
    if (index % 2 === 1 || index === last) {
      hash = node(sibling, hash);
      while (index % 2 === 0 && index !== 0) {
        index = Math.floor(index / 2);
        last = Math.floor(last / 2);
      }
    } else hash = node(hash, sibling);
    index = Math.floor(index / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && bytesToHex(hash) === checkpoint.root_hash;
}

/** The root is signed by the key that comes with it. */
export function signatureHolds({ checkpoint }: SessionProof): boolean {
  const { key_id, root_hash, tree_size, ts } = checkpoint;
  const message = `writ checkpoint v1\n${canonical({ key_id, root_hash, tree_size, ts })}`;
  try {
    return ed25519.verify(fromBase64(checkpoint.signature), utf8ToBytes(message), rawKey(checkpoint.public_key));
  } catch {
    return false; // a key or signature that is none signs nothing
  }
}

/** The last 32 bytes of an Ed25519 public key in PEM are the key itself. */
function rawKey(pem: string): Uint8Array {
  return fromBase64(pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, "")).slice(-32);
}

function fromBase64(text: string): Uint8Array {
  const padded = text.replace(/-/g, "+").replace(/_/g, "/");
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
}

function node(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(1), left, right));
}
