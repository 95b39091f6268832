import * as fs from "node:fs";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { anchorFile } from "#log";
import type { AnchoredHead, NewLeaf } from "./anchor-leaf.ts";
import { AnchoredHeads } from "./anchored-heads.ts";
import { advanceFrontier } from "./frontier/advance-frontier.ts";
import { AnchoredPast } from "./frontier/anchored-past.ts";
import { readFrontier } from "./frontier/frontier.ts";
import type { LeafPlace } from "./frontier/head-segment.ts";
import type { MerkleTree, TreeHash } from "./merkle.ts";
import type { SigningKey } from "./signing-key.ts";

/** So many checkpoints, or heads, behind the frontier are worth moving it: each costs the next process a signature or a hash. */
const mostCheckpoints = 32;
const mostHeads = 512;

/**
 * How far a writer has read the anchor log. It begins at the frontier, and reads on from where it stopped before each batch,
 * since other processes append too; only whole batches count.
 */
export class AnchorTail {
  readonly heads: AnchoredHeads = new AnchoredHeads();
  readonly #root: string;
  readonly #file: string;
  readonly #key: SigningKey;
  #past: AnchoredPast | undefined;
  #hasBegun = false;
  #end = 0;
  /** What was read and written since the frontier. */
  #places: LeafPlace[] = [];
  #checkpoints = 0;
  #checkpointLength = 0;

  constructor(root: string, key: SigningKey) {
    this.#root = root;
    this.#file = anchorFile(root);
    this.#key = key;
  }

  /** The end of the last whole batch. */
  get end(): number {
    return this.#end;
  }

  size(): number | undefined {
    return fs.statSync(this.#file, { throwIfNoEntry: false })?.size;
  }

  /** The newest anchored head of a session; "damaged" when the index of the past is not what was signed for. */
  headOf(session_id: string, fd: number): AnchoredHead | "damaged" | undefined {
    const head = this.heads.headOf(session_id);
    if (head || !this.#past) return head;
    const leaves = this.#past.leavesOf(session_id, fd);
    const newest = leaves?.at(-1);
    return leaves ? newest && { seq: newest.seq, hash: newest.head_hash } : "damaged";
  }

  /** A batch that was written at the end. */
  advance(leaves: readonly NewLeaf[], tree: MerkleTree, batch: AppendedBatch): void {
    let offset = this.#end;
    for (const [at, { session_id }] of leaves.entries()) {
      const { length, hash } = batch.lines[at] as AppendedBatch["lines"][number];
      this.#places.push({ session_id, index: tree.size - leaves.length + at, offset, length, hash });
      offset += length + 1;
    }
    this.heads.advance(leaves, tree);
    this.#endBatch(offset + batch.checkpointLength + 1, batch.checkpointLength);
  }

  #endBatch(end: number, checkpointLength: number): void {
    this.#end = end;
    this.#checkpoints += 1;
    this.#checkpointLength = checkpointLength;
  }

  forget(): void {
    this.#past?.close();
    this.#past = undefined;
    this.heads.forget();
    this.#end = 0;
    this.#places = [];
    this.#checkpoints = 0;
  }

  close(): void {
    this.#past?.close();
    this.#past = undefined;
    this.#hasBegun = false;
    this.forget();
  }

  /** Moves the frontier here, if that saves the next process enough. Under the lock, behind the sync. */
  moveFrontier(): void {
    if (this.#checkpoints < mostCheckpoints && this.#places.length < mostHeads) return;
    const tree = this.heads.tree();
    const before = readFrontier(this.#root, this.#key)?.frontier; // another process may have moved it meanwhile
    const from = before?.tree_size ?? 0;
    const firstKnown = tree.size - this.#places.length;
    if (from < firstKnown || from > tree.size) return; // an older one was put back: the next process reads on from there
    const checkpoints = (this.#past?.frontier.checkpoints ?? 0) + this.#checkpoints;
    const places = this.#places.slice(from - firstKnown);
    if (places.length > 0) {
      const found = { places, tree, checkpoints, end: this.#end, checkpoint_length: this.#checkpointLength };
      if (!advanceFrontier(this.#root, before, found, this.#key)) return;
    }
    const past = AnchoredPast.open(this.#root, this.#key);
    if (past?.frontier.end === this.#end) this.#goOnFrom(past);
    else past?.close();
  }

  #goOnFrom(past: AnchoredPast): void {
    this.#past?.close();
    this.#past = past;
    this.heads.goOnFrom(past.tree.copy(), past.checkpoint);
    this.#end = past.frontier.end;
    this.#places = [];
    this.#checkpoints = 0;
    this.#checkpointLength = past.frontier.checkpoint_length;
  }

  /** Reads what others have added. A whole batch whose root is wrong is refused: appending to it would bless it. */
  catchUp(fd: number): Result<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const past = AnchoredPast.open(this.#root, this.#key);
      if (past) this.#goOnFrom(past);
    }
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
    this.heads.backToWhole();
    const began = this.#end;
    const batch: LeafPlace[] = [];
    let start = 0;
    for (let stop = bytes.indexOf(10, 0); stop >= 0; stop = bytes.indexOf(10, start)) {
      const line = this.heads.read(bytes.toString("utf8", start, stop));
      const [offset, length] = [began + start, stop - start];
      start = stop + 1;
      if (line.as === "head") {
        const index = this.heads.size + batch.length;
        batch.push({ session_id: line.session_id, index, offset, length, hash: line.hash });
      } else if (line.as === "end of a batch") {
        for (const place of batch.splice(0)) this.#places.push(place);
        this.#endBatch(began + start, length);
      }
      if (!("message" in line)) continue;
      // Damage behind the last whole batch is a torn write; with a checkpoint behind it, it is not.
      if (line.as === "contradiction" || bytes.includes('"kind":"checkpoint"', start))
        return err(damaged(began + stop, line.message));
      break;
    }
    return ok(undefined);
  }
}

/** The lines of a batch as they were written. */
export interface AppendedBatch {
  readonly lines: readonly { readonly length: number; readonly hash: TreeHash }[];
  readonly checkpointLength: number;
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
