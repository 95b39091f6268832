const smallest = 2 * 1024;
const largest = 128 * 1024;
const classes = Math.log2(largest / smallest) + 1;
const firstSlab = 1024 * 1024;
const largestSlab = 16 * 1024 * 1024;

/**
 * Memory that was used before, by size. New memory is not there until it is touched, page by page: under load that took
 * longer than copying into it. It is cut from slabs: a thousand pieces of memory of their own made the garbage collector
 * run early and often.
 */
export class Recycled {
  readonly #most: number;
  readonly #free: Buffer[][] = Array.from({ length: classes }, () => []);
  #bytes = 0;
  #slab: Buffer | undefined;
  #cut = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** At least so many bytes, of any content. */
  take(needed: number): Buffer {
    if (needed > largest) return Buffer.allocUnsafeSlow(needed);
    const which = classOf(needed);
    const found = this.#free[which]?.pop();
    if (!found) return this.#cutOff(smallest << which);
    this.#bytes -= found.length;
    return found;
  }

  /** Nobody reads it any more. */
  give(memory: Buffer): void {
    if (memory.length > largest || this.#bytes + memory.length > this.#most) return;
    this.#free[classOf(memory.length)]?.push(memory);
    this.#bytes += memory.length;
  }

  /** The load is over. */
  clear(): void {
    for (const each of this.#free) each.length = 0;
    this.#bytes = 0;
    this.#slab = undefined;
  }

  #cutOff(bytes: number): Buffer {
    if (!this.#slab || this.#cut + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(this.#slab ? Math.min(largestSlab, this.#slab.length * 4) : firstSlab);
      this.#cut = 0;
    }
    this.#cut += bytes;
    return this.#slab.subarray(this.#cut - bytes, this.#cut);
  }
}

function classOf(bytes: number): number {
  return bytes <= smallest ? 0 : 32 - Math.clz32((bytes - 1) >>> 11);
}
