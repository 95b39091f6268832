import type { Sha256 } from "#core/values";

const width = 32;

/** Hashes in order at 32 bytes each: what may be kept of a record that is itself too large to keep. */
export class HashList {
  #bytes: Buffer = Buffer.alloc(1024 * width);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(hash: Sha256): void {
    const at = this.#length * width;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at)]);
    this.#bytes.write(hash, at, "hex");
    this.#length += 1;
  }

  at(index: number): Sha256 {
    return this.#bytes.toString("hex", index * width, (index + 1) * width);
  }
}
