import { type AnchoredHead, type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import { parseAnchorLine } from "./anchor-lines.ts";
import type { AnchorCheckpoint } from "./checkpoint.ts";
import { leafHash, MerkleTree, type TreeHash } from "./merkle.ts";

/** What a line turned out to be. A torn write leaves what is unreadable; a root that contradicts its heads is never torn. */
export type AnchorReading =
  | { readonly as: "head"; readonly session_id: string; readonly hash: TreeHash }
  | { readonly as: "end of a batch" }
  | { readonly as: "unreadable" | "contradiction"; readonly message: string };

/**
 * What an anchor log says, read line by line: the newest head of each session, and the tree that they grow. Heads count once
 * their batch is whole, which its checkpoint tells, and only if that has the root of all heads before it.
 */
export class AnchoredHeads {
  #tree = new MerkleTree();
  #heads = new Map<string, AnchoredHead>();
  #found: AnchorCheckpoint | undefined;
  #batch: AnchorLeaf[] = [];
  #growing = new MerkleTree();

  /** Heads of whole batches. */
  get size(): number {
    return this.#tree.size;
  }

  tree(): MerkleTree {
    return this.#tree.copy();
  }

  headOf(session_id: string): AnchoredHead | undefined {
    return this.#heads.get(session_id);
  }

  /** The newest root that was read and not made here. A caller that relies on a head must check the root's signature. */
  get found(): AnchorCheckpoint | undefined {
    return this.#found;
  }

  /** Whether heads were read whose checkpoint was not. */
  get isWithin(): boolean {
    return this.#batch.length > 0;
  }

  /** Takes the next line. */
  read(text: string): AnchorReading {
    const line = parseAnchorLine(text);
    if (!line.ok) return { as: "unreadable", message: line.error.message };
    if ("leaf" in line.value) {
      const { leaf } = line.value;
      const hash = leafHash(leafText(leaf));
      this.#batch.push(leaf);
      this.#growing.append(hash);
      return { as: "head", session_id: leaf.session_id, hash };
    }
    const { checkpoint } = line.value;
    const { root_hash, tree_size } = checkpoint;
    if (tree_size !== this.#growing.size || root_hash !== this.#growing.root().toString("hex"))
      return { as: "contradiction", message: "a checkpoint does not have the root of the heads before it" };
    this.advance(this.#batch, this.#growing);
    this.#found = checkpoint;
    return { as: "end of a batch" };
  }

  /** A batch that was made here. */
  advance(leaves: readonly Omit<AnchorLeaf, "kind">[], tree: MerkleTree): void {
    for (const { session_id, seq, head_hash } of leaves) this.#heads.set(session_id, { seq, hash: head_hash });
    this.#tree = tree;
    this.backToWhole();
  }

  /** Forgets what was read of a batch that is not whole: it is read again. */
  backToWhole(): void {
    this.#batch = [];
    this.#growing = this.#tree.copy();
  }

  /** Goes on behind a checkpoint that was proven before; the heads up to there are looked up elsewhere. */
  goOnFrom(tree: MerkleTree, checkpoint: AnchorCheckpoint): void {
    this.#tree = tree;
    this.#found = checkpoint;
    this.shed();
    this.backToWhole();
  }

  /** Drops the heads: from now on they are looked up elsewhere. */
  shed(): void {
    this.#heads = new Map();
  }

  forget(): void {
    this.#tree = new MerkleTree();
    this.#found = undefined;
    this.shed();
    this.backToWhole();
  }
}
