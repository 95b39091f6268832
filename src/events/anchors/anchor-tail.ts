import * as fs from "node:fs";
import { domainError, err, ok, type Result } from "#base";
import { type AnchoredHead, type AnchorLeaf, leafText } from "./anchor-leaf.ts";
import { parseAnchorLine } from "./anchor-lines.ts";
import type { AnchorCheckpoint } from "./checkpoint.ts";
import { leafHash, MerkleTree } from "./merkle.ts";

/**
 * How far a writer has read the anchor log. Other processes append too, so it reads on from where it stopped before
 * each batch; only whole batches count.
 */
export class AnchorTail {
  readonly #file: string;
  #tree = new MerkleTree();
  /** The newest anchored head of each session. */
  #heads = new Map<string, AnchoredHead>();
  /** The newest root that somebody else may have signed. */
  #found: AnchorCheckpoint | undefined;
  #end = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The end of the last whole batch. */
  get end(): number {
    return this.#end;
  }

  size(): number | undefined {
    return fs.statSync(this.#file, { throwIfNoEntry: false })?.size;
  }

  tree(): MerkleTree {
    return this.#tree.copy();
  }

  headOf(session_id: string): AnchoredHead | undefined {
    return this.#heads.get(session_id);
  }

  /** The newest root that was read and not made here; whoever relies on a head looks at its signature. */
  get found(): AnchorCheckpoint | undefined {
    return this.#found;
  }

  /** A head is anchored once; a head older than the newest is covered by it. */
  has(leaf: Omit<AnchorLeaf, "kind">): boolean {
    const known = this.#heads.get(leaf.session_id);
    return known !== undefined && (known.hash === leaf.head_hash || known.seq > leaf.seq);
  }

  advance(leaves: readonly Omit<AnchorLeaf, "kind">[], tree: MerkleTree, bytes: number): void {
    for (const { session_id, seq, head_hash } of leaves) this.#heads.set(session_id, { seq, hash: head_hash });
    this.#tree = tree;
    this.#end += bytes;
  }

  forget(): void {
    this.#tree = new MerkleTree();
    this.#heads = new Map();
    this.#found = undefined;
    this.#end = 0;
  }

  /** Reads what others have added. A whole batch whose root is wrong is refused: appending to it would bless it. */
  catchUp(fd: number): Result<void> {
    const size = fs.fstatSync(fd).size;
    if (size < this.#end) this.forget(); // cut back by someone: look at all of it again
    if (size === this.#end) return ok(undefined);
    const bytes = Buffer.allocUnsafe(size - this.#end);
    let read = 0;
    while (read < bytes.length) {
      const count = fs.readSync(fd, bytes, read, bytes.length - read, this.#end + read);
      if (count === 0) break;
      read += count;
    }
    let batch: AnchorLeaf[] = [];
    let tree = this.#tree.copy();
    let start = 0;
    let batchStart = 0;
    for (let stop = bytes.indexOf(10, 0); stop >= 0; stop = bytes.indexOf(10, start)) {
      const text = bytes.toString("utf8", start, stop);
      start = stop + 1;
      const line = parseAnchorLine(text);
      if (!line.ok) {
        // Damage behind the last whole batch is a torn write; with a checkpoint behind it, it is not.
        if (bytes.includes('"kind":"checkpoint"', start)) return err(damaged(this.#end + stop, line.error.message));
        return ok(undefined);
      }
      if ("leaf" in line.value) {
        batch.push(line.value.leaf);
        tree.append(leafHash(leafText(line.value.leaf)));
        continue;
      }
      const { checkpoint } = line.value;
      const { root_hash, tree_size } = checkpoint;
      if (tree_size !== tree.size || root_hash !== tree.root().toString("hex"))
        return err(damaged(this.#end + stop, "a checkpoint does not have the root of the heads before it"));
      this.advance(batch, tree, start - batchStart);
      this.#found = checkpoint;
      batch = [];
      tree = this.#tree.copy();
      batchStart = start;
    }
    return ok(undefined);
  }
}

function damaged(at: number, message: string) {
  return domainError(
    "LEDGER_CORRUPT",
    `the anchor log does not verify near byte ${at}: ${message}; \`writ session verify --all\` says more`,
    {
      details: { at },
    },
  );
}
