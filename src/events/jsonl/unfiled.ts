import type { Recycled } from "./recycled.ts";

const none: Buffer = Buffer.alloc(0);
const mostExpected = 64 * 1024;

/**
 * The durable lines of a session that its file does not hold yet, one behind the other, as they will stand in it. Copied
 * here when they become durable, so that the memory of the batch is free at once and the file is written with one call.
 */
export class Unfiled {
  readonly #recycled: Recycled;
  #memory = none;
  #length = 0;
  /** What the last round needed: the next one probably needs as much, unless it was a flood. */
  #expected = 0;

  constructor(recycled: Recycled) {
    this.#recycled = recycled;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** What is there now, until it is cleared. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  get firstLine(): string | undefined {
    return this.isEmpty ? undefined : this.#memory.toString("utf8", 0, this.#memory.indexOf(10));
  }

  get lastLine(): string | undefined {
    const end = this.#length - 1;
    return this.isEmpty
      ? undefined
      : this.#memory.toString("utf8", end && this.#memory.lastIndexOf(10, end - 1) + 1, end);
  }

  /** Whole lines, each with its LF. */
  add(batch: Buffer, start: number, end: number): void {
    const needed = this.#length + end - start;
    if (needed > this.#memory.length) this.#grow(needed);
    this.#memory.set(new Uint8Array(batch.buffer, batch.byteOffset + start, end - start), this.#length);
    this.#length = needed;
  }

  clear(): void {
    this.#expected = Math.min(mostExpected, this.#length);
    this.#recycled.give(this.#memory);
    this.#memory = none;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const next = this.#recycled.take(Math.max(needed, this.#expected, this.#memory.length * 2));
    this.#memory.copy(next, 0, 0, this.#length);
    this.#recycled.give(this.#memory);
    this.#memory = next;
  }
}
