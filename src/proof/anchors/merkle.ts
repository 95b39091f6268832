import { createHash } from "node:crypto";

/** A SHA-256 as bytes. */
export type TreeHash = Buffer;

const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);

/** RFC 9162, 2.1.1: leaves and nodes are hashed under different prefixes, so that neither can pass for the other. */
export function leafHash(leaf: string | Uint8Array): TreeHash {
  return createHash("sha256").update(leafPrefix).update(leaf).digest();
}

function nodeHash(left: TreeHash, right: TreeHash): TreeHash {
  return createHash("sha256").update(nodePrefix).update(left).update(right).digest();
}

export const emptyRoot: TreeHash = createHash("sha256").digest();

/**
 * A tree that only grows. It keeps the roots of its complete subtrees, largest first: as many as the size has one-bits,
 * so a million leaves cost twenty hashes of memory and appending costs two hashes on average.
 */
export class MerkleTree {
  #size = 0;
  readonly #peaks: TreeHash[] = [];

  get size(): number {
    return this.#size;
  }

  append(leaf: TreeHash): void {
    let hash = leaf;
    for (let bits = this.#size; bits % 2 === 1; bits = Math.floor(bits / 2))
      hash = nodeHash(this.#peaks.pop() as TreeHash, hash);
    this.#peaks.push(hash);
    this.#size += 1;
  }

  root(): TreeHash {
    const [first, ...rest] = this.#peaks.toReversed();
    return first ? rest.reduce((right, left) => nodeHash(left, right), first) : emptyRoot;
  }

  /** The roots of the complete subtrees: with the size, all there is to know to go on. */
  peaks(): readonly TreeHash[] {
    return this.#peaks;
  }

  static from(size: number, peaks: readonly TreeHash[]): MerkleTree {
    const tree = new MerkleTree();
    tree.#size = size;
    tree.#peaks.push(...peaks);
    return tree;
  }

  copy(): MerkleTree {
    const tree = new MerkleTree();
    tree.#size = this.#size;
    tree.#peaks.push(...this.#peaks);
    return tree;
  }
}

/** Root of the leaves from `start` up to `end`. */
function rangeRoot(leaves: readonly TreeHash[], start: number, end: number): TreeHash {
  const tree = new MerkleTree();
  for (let index = start; index < end; index++) tree.append(leaves[index] as TreeHash);
  return tree.root();
}

/** The largest power of two below `count`. */
function split(count: number): number {
  let half = 1;
  while (half * 2 < count) half *= 2;
  return half;
}

/** RFC 9162, 2.1.3.1: the siblings on the way from a leaf to the root. */
export function inclusionProof(leaves: readonly TreeHash[], index: number): readonly TreeHash[] {
  const proof: TreeHash[] = [];
  let start = 0;
  let end = leaves.length;
  while (end - start > 1) {
    const middle = start + split(end - start);
    if (index < middle) {
      proof.push(rangeRoot(leaves, middle, end));
      end = middle;
    } else {
      proof.push(rangeRoot(leaves, start, middle));
      start = middle;
    }
  }
  return proof.reverse();
}

/** RFC 9162, 2.1.4.1: what shows that the tree of `oldSize` leaves is the beginning of this one. */
export function consistencyProof(leaves: readonly TreeHash[], oldSize: number): readonly TreeHash[] {
  if (oldSize <= 0 || oldSize >= leaves.length) return [];
  const proof: TreeHash[] = [];
  let start = 0;
  let end = leaves.length;
  let isWhole = true; // the old tree is a complete subtree so far
  while (oldSize !== end) {
    const middle = start + split(end - start);
    if (oldSize <= middle) {
      proof.push(rangeRoot(leaves, middle, end));
      end = middle;
    } else {
      proof.push(rangeRoot(leaves, start, middle));
      start = middle;
      isWhole = false;
    }
  }
  if (!isWhole) proof.push(rangeRoot(leaves, start, end));
  return proof.reverse();
}

/** RFC 9162, 2.1.3.2. */
export function verifyInclusion(claim: {
  readonly leaf: TreeHash;
  readonly index: number;
  readonly size: number;
  readonly root: TreeHash;
  readonly proof: readonly TreeHash[];
}): boolean {
  if (!isCount(claim.index) || !isCount(claim.size) || claim.index >= claim.size) return false;
  let fn = claim.index;
  let sn = claim.size - 1;
  let hash = claim.leaf;
  for (const sibling of claim.proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) {
        fn = half(fn);
        sn = half(sn);
      }
    } else hash = nodeHash(hash, sibling);
    fn = half(fn);
    sn = half(sn);
  }
  return sn === 0 && hash.equals(claim.root);
}

/** RFC 9162, 2.1.4.2. */
export function verifyConsistency(claim: {
  readonly oldSize: number;
  readonly oldRoot: TreeHash;
  readonly newSize: number;
  readonly newRoot: TreeHash;
  readonly proof: readonly TreeHash[];
}): boolean {
  const { oldSize, newSize, oldRoot, newRoot } = claim;
  if (!isCount(oldSize) || !isCount(newSize) || oldSize > newSize) return false;
  if (oldSize === newSize) return claim.proof.length === 0 && oldRoot.equals(newRoot);
  if (oldSize === 0) return claim.proof.length === 0;
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...claim.proof] : claim.proof;
  const [seed, ...rest] = path;
  if (!seed) return false;
  let fn = oldSize - 1;
  let sn = newSize - 1;
  while (fn % 2 === 1) {
    fn = half(fn);
    sn = half(sn);
  }
  let oldHash = seed;
  let newHash = seed;
  for (const sibling of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      oldHash = nodeHash(sibling, oldHash);
      newHash = nodeHash(sibling, newHash);
      while (fn % 2 === 0 && fn !== 0) {
        fn = half(fn);
        sn = half(sn);
      }
    } else newHash = nodeHash(newHash, sibling);
    fn = half(fn);
    sn = half(sn);
  }
  return sn === 0 && oldHash.equals(oldRoot) && newHash.equals(newRoot);
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}
