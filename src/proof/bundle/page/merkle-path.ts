import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonical } from "./canonical.ts";

/** What a root covers, as in `AnchorProofV1`. Spelled out: the studio imports this file, and the contracts lead to all of the runtime. */
interface TreeHead {
  readonly tree_size: number;
  readonly root_hash: string;
}

interface Inclusion {
  readonly leaf_index: number;
  readonly leaf: {
    readonly session_id: string;
    readonly seq: number;
    readonly head_hash: string;
    readonly exec_head: string | null;
    readonly evidence_head: string | null;
    readonly closed_at: string | null;
  };
  readonly hashes: readonly string[];
}

/** RFC 9162, 2.1.3.2: the path of hashes leads from the session's head to the root. */
export function isIncluded(inclusion: Inclusion, { tree_size, root_hash }: TreeHead): boolean {
  let index = inclusion.leaf_index;
  let end = tree_size - 1;
  const path = fromHex(inclusion.hashes);
  if (index > end || !path) return false;
  const { session_id, seq, head_hash, exec_head, evidence_head, closed_at } = inclusion.leaf;
  const leaf = canonical({ closed_at, evidence_head, exec_head, head_hash, kind: "leaf", seq, session_id });
  let hash = prefixed(0, utf8ToBytes(leaf));
  for (const sibling of path) {
    if (end === 0) return false;
    if (index % 2 === 1 || index === end) {
      hash = prefixed(1, sibling, hash);
      while (index % 2 === 0 && index !== 0) {
        index = Math.floor(index / 2);
        end = Math.floor(end / 2);
      }
    } else hash = prefixed(1, hash, sibling);
    index = Math.floor(index / 2);
    end = Math.floor(end / 2);
  }
  return end === 0 && bytesToHex(hash) === root_hash;
}

/** RFC 9162, 2.1.4.2: the newer root covers everything under the older one, and adds to it. */
export function onlyAdds(old: TreeHead, newer: TreeHead, hashes: readonly string[]): boolean {
  const [oldSize, newSize] = [old.tree_size, newer.tree_size];
  if (oldSize < 1 || oldSize > newSize) return false;
  if (oldSize === newSize) return hashes.length === 0 && old.root_hash === newer.root_hash;
  let at = oldSize - 1;
  let end = newSize - 1;
  while (at % 2 === 1) {
    at = Math.floor(at / 2);
    end = Math.floor(end / 2);
  }
  const path = fromHex(at === 0 ? [old.root_hash, ...hashes] : hashes); // a whole subtree is its own beginning
  const [first, ...siblings] = path ?? [];
  if (!first) return false;
  let [oldHash, newHash] = [first, first];
  for (const sibling of siblings) {
    if (end === 0) return false;
    if (at % 2 === 1 || at === end) {
      oldHash = prefixed(1, sibling, oldHash);
      newHash = prefixed(1, sibling, newHash);
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2);
        end = Math.floor(end / 2);
      }
    } else newHash = prefixed(1, newHash, sibling);
    at = Math.floor(at / 2);
    end = Math.floor(end / 2);
  }
  return end === 0 && bytesToHex(oldHash) === old.root_hash && bytesToHex(newHash) === newer.root_hash;
}

function prefixed(byte: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(byte), ...parts));
}

/** Undefined where one of them is no hash: such a path leads nowhere. */
function fromHex(hashes: readonly string[]): readonly Uint8Array[] | undefined {
  return hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash)) ? hashes.map((hash) => hexToBytes(hash)) : undefined;
}
