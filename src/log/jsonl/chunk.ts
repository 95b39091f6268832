/** Holds most batches several times over. */
export const chunkBytes: number = 4 * 1024 * 1024;

const firstLines = 256;
const numbersPerLine = 3;

/**
 * Memory in which batches gather, and a list of its lines that are durable and in no session file yet. The lines stay
 * in place until they are flushed, and the flush thread reads them here.
 */
export class Chunk {
  readonly memory: Buffer;
  /** The file number, start and end of each line, in the order in which the lines became durable. */
  lines: Int32Array = new Int32Array(0);
  /** The number of lines. */
  count = 0;
  /** True when nothing more is written here. */
  isLeft = false;

  constructor(bytes: number) {
    this.memory = Buffer.from(new SharedArrayBuffer(bytes));
  }

  add(owner: number, start: number, end: number): void {
    const at = this.count * numbersPerLine;
    if (at === this.lines.length) this.#grow();
    this.lines[at] = owner;
    this.lines[at + 1] = start;
    this.lines[at + 2] = end;
    this.count += 1;
  }

  /** Drops those of the first `count` lines for which `isKept` is false; the others keep their order. */
  drop(count: number, isKept: (index: number) => boolean): void {
    const { lines } = this;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      if (!isKept(index)) continue;
      lines.copyWithin(kept * numbersPerLine, index * numbersPerLine, (index + 1) * numbersPerLine);
      kept += 1;
    }
    lines.copyWithin(kept * numbersPerLine, count * numbersPerLine, this.count * numbersPerLine);
    this.count -= count - kept;
  }

  #grow(): void {
    const grown = new Int32Array(Math.max(firstLines * numbersPerLine, this.lines.length * 2));
    grown.set(this.lines);
    this.lines = grown;
  }
}
