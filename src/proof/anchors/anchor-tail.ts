import * as fs from "node:fs";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { AnchorLeaf } from "./anchor-leaf.ts";
import { AnchoredHeads } from "./anchored-heads.ts";
import type { MerkleTree } from "./merkle.ts";

/**
 * How far a writer has read the anchor log. Other processes append too, so it reads on from where it stopped before
 * each batch; only whole batches count.
 */
export class AnchorTail {
  readonly heads: AnchoredHeads = new AnchoredHeads();
  readonly #file: string;
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

  advance(leaves: readonly Omit<AnchorLeaf, "kind">[], tree: MerkleTree, bytes: number): void {
    this.heads.advance(leaves, tree);
    this.#end += bytes;
  }

  forget(): void {
    this.heads.forget();
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
    this.heads.backToWhole();
    const began = this.#end;
    let start = 0;
    for (let stop = bytes.indexOf(10, 0); stop >= 0; stop = bytes.indexOf(10, start)) {
      const line = this.heads.read(bytes.toString("utf8", start, stop));
      start = stop + 1;
      if (line.as === "end of a batch") this.#end = began + start;
      if (!("message" in line)) continue;
      // Damage behind the last whole batch is a torn write; with a checkpoint behind it, it is not.
      if (line.as === "contradiction" || bytes.includes('"kind":"checkpoint"', start))
        return err(damaged(began + stop, line.message));
      break;
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
