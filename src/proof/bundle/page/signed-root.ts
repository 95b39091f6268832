import { hashes, verify } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical } from "./canonical.ts";

hashes.sha512 = sha512; // a page from a disk has no crypto.subtle in every browser

/** A checkpoint as in `AnchorProofV1`. */
interface SignedRoot {
  readonly key_id: string;
  readonly root_hash: string;
  readonly tree_size: number;
  readonly ts: string;
  readonly public_key: string;
  readonly signature: string;
}

/** The root is signed by the key that comes with it, and that key has the fingerprint which the checkpoint names. */
export function isSignedRoot(checkpoint: SignedRoot): boolean {
  const { key_id, root_hash, tree_size, ts } = checkpoint;
  const message = utf8ToBytes(`writ checkpoint v1\n${canonical({ key_id, root_hash, tree_size, ts })}`);
  try {
    const der = fromBase64(checkpoint.public_key.replace(/-----[A-Z ]+-----/g, ""));
    if (bytesToHex(sha256(der)) !== key_id) return false;
    // RFC 8032: the last 32 bytes of an Ed25519 public key in DER are the key itself.
    return verify(fromBase64(checkpoint.signature), message, der.slice(-32), { zip215: false });
  } catch {
    return false; // a key or signature that is none signs nothing
  }
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/\s/g, "")), (character) => character.charCodeAt(0));
}
