const smallest = 2 * 1024;
const largest = 128 * 1024;
const classes = Math.log2(largest / smallest) + 1;

/**
 * Memory that was used before, by size. New memory is not there until it is touched, page by page: under load that took
 * longer than copying into it.
 */
export class Recycled {
  readonly #most: number;
  readonly #free: Buffer[][] = Array.from({ length: classes }, () => []);
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** At least so many bytes, of any content. */
  take(needed: number): Buffer {
    if (needed > largest) return Buffer.allocUnsafeSlow(needed);
    const which = classOf(needed);
    const found = this.#free[which]?.pop();
    if (!found) return Buffer.allocUnsafeSlow(smallest << which);
    this.#bytes -= found.length;
    return found;
  }

  /** Nobody reads it any more. */
  give(memory: Buffer): void {
    if (memory.length < smallest || memory.length > largest || this.#bytes + memory.length > this.#most) return;
    this.#free[classOf(memory.length)]?.push(memory);
    this.#bytes += memory.length;
  }

  /** The load is over. */
  clear(): void {
    if (this.#bytes === 0) return;
    for (const each of this.#free) each.length = 0;
    this.#bytes = 0;
  }
}

function classOf(bytes: number): number {
  return bytes <= smallest ? 0 : 32 - Math.clz32((bytes - 1) >>> 11);
}
