import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  leafHash,
  MerkleTree,
  type TreeHash,
  verifyConsistency,
  verifyInclusion,
} from "./merkle.ts";

/** RFC 9162's definitions, word for word, without any care for speed. */
const reference = {
  sha: (...parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest(),
  mth(d: readonly Buffer[]): Buffer {
    if (d.length === 0) return this.sha();
    if (d.length === 1) return this.sha(Buffer.from([0]), d[0] as Buffer);
    const k = this.k(d.length);
    return this.sha(Buffer.from([1]), this.mth(d.slice(0, k)), this.mth(d.slice(k)));
  },
  k: (n: number) => 2 ** (Math.ceil(Math.log2(n)) - 1),
  path(m: number, d: readonly Buffer[]): Buffer[] {
    if (d.length === 1) return [];
    const k = this.k(d.length);
    return m < k
      ? [...this.path(m, d.slice(0, k)), this.mth(d.slice(k))]
      : [...this.path(m - k, d.slice(k)), this.mth(d.slice(0, k))];
  },
  subproof(m: number, d: readonly Buffer[], b: boolean): Buffer[] {
    if (m === d.length) return b ? [] : [this.mth(d)];
    const k = this.k(d.length);
    return m <= k
      ? [...this.subproof(m, d.slice(0, k), b), this.mth(d.slice(k))]
      : [...this.subproof(m - k, d.slice(k), false), this.mth(d.slice(0, k))];
  },
};

const data = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`leaf ${index}`));
const hashes = (count: number) => data(count).map(leafHash);

function rootOf(leaves: readonly TreeHash[]): TreeHash {
  const tree = new MerkleTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree.root();
}

describe("the tree of RFC 9162", () => {
  test("has the root of the empty string, of one leaf and of two as the text defines them", () => {
    expect(emptyRoot.toString("hex")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(rootOf([leafHash("")]).toString("hex")).toBe(
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    );
    const two = createHash("sha256")
      .update(Buffer.concat([Buffer.from([1]), leafHash("a"), leafHash("b")]))
      .digest();
    expect(rootOf([leafHash("a"), leafHash("b")])).toEqual(two);
  });

  test("agrees with the definition in root, inclusion and consistency for every size up to 24", () => {
    for (let size = 1; size <= 24; size++) {
      const leaves = hashes(size);
      expect(rootOf(leaves)).toEqual(reference.mth(data(size)));
      for (let index = 0; index < size; index++)
        expect(inclusionProof(leaves, index)).toEqual(reference.path(index, data(size)));
      for (let old = 1; old < size; old++)
        expect(consistencyProof(leaves, old)).toEqual(reference.subproof(old, data(size), true));
    }
  });

  test("every proof verifies, and no proof with any change does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), fc.nat(), fc.nat(), (size, a, b, flip) => {
        const leaves = hashes(size);
        const root = rootOf(leaves);
        const index = a % size;
        const proof = inclusionProof(leaves, index);
        const claim = { leaf: leaves[index] as TreeHash, index, size, root, proof };
        expect(verifyInclusion(claim)).toBe(true);
        expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(size === 1);
        expect(verifyInclusion({ ...claim, size: size + 1 + (b % 9), root: flipped(root, flip) })).toBe(false);
        expect(verifyInclusion({ ...claim, leaf: flipped(claim.leaf, flip) })).toBe(false);
        expect(verifyInclusion({ ...claim, proof: [...proof, root] })).toBe(false);
        if (proof.length > 0) {
          expect(verifyInclusion({ ...claim, proof: proof.slice(1) })).toBe(false);
          expect(
            verifyInclusion({
              ...claim,
              proof: proof.map((hash, at) => (at === b % proof.length ? flipped(hash, flip) : hash)),
            }),
          ).toBe(false);
        }

        const oldSize = 1 + (b % size);
        const change = {
          oldSize,
          oldRoot: rootOf(leaves.slice(0, oldSize)),
          newSize: size,
          newRoot: root,
          proof: consistencyProof(leaves, oldSize),
        };
        expect(verifyConsistency(change)).toBe(true);
        expect(verifyConsistency({ ...change, newRoot: flipped(root, flip) })).toBe(false);
        expect(verifyConsistency({ ...change, oldRoot: flipped(change.oldRoot, flip) })).toBe(false);
        expect(verifyConsistency({ ...change, proof: [...change.proof, root] })).toBe(false);
        expect(verifyConsistency({ ...change, oldSize: size + 1 })).toBe(false);
        const rewritten = hashes(size).map((hash, at) => (at === a % oldSize ? flipped(hash, flip) : hash));
        expect(
          verifyConsistency({ ...change, newRoot: rootOf(rewritten), proof: consistencyProof(rewritten, oldSize) }),
        ).toBe(false);
      }),
      { numRuns: 120 },
    );
  });

  test("a proof is of one place: of no other index, and of another size only where the path is the same", () => {
    /** On which side of each node of its path a leaf stands, from the root down. */
    const path = (index: number, size: number): string => {
      if (size <= 1) return "";
      const left = 2 ** Math.ceil(Math.log2(size) - 1);
      return index < left ? `l${path(index, left)}` : `r${path(index - left, size - left)}`;
    };
    for (let size = 1; size <= 9; size++) {
      const leaves = hashes(size);
      for (let index = 0; index < size; index++) {
        const claim = { leaf: leaves[index] as TreeHash, root: rootOf(leaves), proof: inclusionProof(leaves, index) };
        for (let other = 0; other <= 18; other++)
          for (let place = -1; place <= 18; place++) {
            const isSame = place >= 0 && place < other && path(place, other) === path(index, size);
            const claimed = `leaf ${index} of ${size} as ${place} of ${other}`;
            expect(verifyInclusion({ ...claim, index: place, size: other }), claimed).toBe(isSame);
          }
      }
    }
  });

  test("a newer root never passes for an older one, nor a root for another of its size", () => {
    for (let size = 1; size <= 9; size++) {
      const leaves = hashes(size);
      const newRoot = rootOf(leaves);
      for (let oldSize = 0; oldSize <= size; oldSize++) {
        const oldRoot = rootOf(leaves.slice(0, oldSize));
        const proof = consistencyProof(leaves, oldSize);
        const claimed = `${oldSize} of ${size}`;
        expect(verifyConsistency({ oldSize, oldRoot, newSize: size, newRoot, proof }), claimed).toBe(true);
        if (oldSize < size) {
          const turned = { oldSize: size, oldRoot: newRoot, newSize: oldSize, newRoot: oldRoot };
          for (const any of [proof, []]) expect(verifyConsistency({ ...turned, proof: any }), claimed).toBe(false);
        }
        for (const bit of [0, 255]) {
          const other = { oldSize: size, oldRoot: newRoot, newSize: size, newRoot: flipped(newRoot, bit) };
          for (const any of [proof, []]) expect(verifyConsistency({ ...other, proof: any }), claimed).toBe(false);
        }
        if (oldSize > 0 && oldSize < size)
          expect(verifyConsistency({ oldSize, oldRoot, newSize: 16 * size, newRoot, proof }), claimed).toBe(false);
        const longer = [...proof, newRoot];
        expect(verifyConsistency({ oldSize, oldRoot, newSize: size, newRoot, proof: longer }), claimed).toBe(false);
        const shorter = proof.slice(0, -1);
        if (proof.length > 0)
          expect(verifyConsistency({ oldSize, oldRoot, newSize: size, newRoot, proof: shorter }), claimed).toBe(false);
      }
    }
  });
});

function flipped(hash: TreeHash, bit: number): TreeHash {
  const copy = Buffer.from(hash);
  const at = bit % (copy.length * 8);
  copy[at >> 3] = (copy[at >> 3] as number) ^ (1 << (at & 7));
  return copy;
}
