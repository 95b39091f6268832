import type { Recycled } from "./recycled.ts";

const mostExpected = 64 * 1024;

/** Memory and how much of it is used. */
interface Piece {
  readonly memory: Buffer;
  length: number;
}

const none: Piece = { memory: Buffer.alloc(0), length: 0 };

/**
 * The durable lines of a session that its file does not hold yet, one behind the other, as they will stand in it. Copied
 * here when they become durable, so that the memory of the batch is free at once and the file is written with few calls: a
 * piece is twice as large as the one before, and the first as large as what the last round needed.
 */
export class Unfiled {
  readonly #recycled: Recycled;
  #pieces: Piece[] = [];
  #last: Piece = none;
  /** What the last round needed: the next one probably needs as much, unless it was a flood. */
  #expected = 0;

  constructor(recycled: Recycled) {
    this.#recycled = recycled;
  }

  get isEmpty(): boolean {
    return this.#last === none;
  }

  /** What is there now, until it is cleared: whole lines in each. */
  get pieces(): readonly Buffer[] {
    return this.#pieces.map(({ memory, length }) => memory.subarray(0, length));
  }

  get firstLine(): string | undefined {
    const first = this.#pieces[0];
    return first?.memory.toString("utf8", 0, first.memory.indexOf(10));
  }

  get lastLine(): string | undefined {
    if (this.isEmpty) return undefined;
    const { memory, length } = this.#last;
    const end = length - 1;
    return memory.toString("utf8", end && memory.lastIndexOf(10, end - 1) + 1, end);
  }

  /** Whole lines, each with its LF. */
  add(batch: Buffer, start: number, end: number): void {
    let piece = this.#last;
    if (piece.length + end - start > piece.memory.length) piece = this.#begin(end - start);
    piece.memory.set(new Uint8Array(batch.buffer, batch.byteOffset + start, end - start), piece.length);
    piece.length += end - start;
  }

  clear(): void {
    let used = 0;
    for (const { memory, length } of this.#pieces) {
      used += length;
      this.#recycled.give(memory);
    }
    this.#expected = Math.min(mostExpected, used);
    this.#pieces = [];
    this.#last = none;
  }

  #begin(needed: number): Piece {
    const memory = this.#recycled.take(
      Math.max(needed, this.#expected, Math.min(mostExpected, this.#last.memory.length * 2)),
    );
    const piece = { memory, length: 0 };
    this.#pieces.push(piece);
    this.#last = piece;
    return piece;
  }
}
