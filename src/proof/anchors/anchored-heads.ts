import { type AnchoredHead, type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import { parseAnchorLine } from "./anchor-lines.ts";
import type { AnchorCheckpoint } from "./checkpoint.ts";
import { leafHash, MerkleTree } from "./merkle.ts";

/** What a line turned out to be. A torn write leaves what is unreadable; a root that contradicts its heads is never torn. */
export type AnchorReading =
  | { readonly as: "head" | "end of a batch" }
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
      this.#batch.push(line.value.leaf);
      this.#growing.append(leafHash(leafText(line.value.leaf)));
      return { as: "head" };
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

  forget(): void {
    this.#tree = new MerkleTree();
    this.#heads = new Map();
    this.#found = undefined;
    this.backToWhole();
  }
}
