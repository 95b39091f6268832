import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import type { Sha256 } from "#base";

const chunkBytes = 1 << 18;

/** The hash of an open file, read to its end; closes it. With `each`, also hands out what was read. */
export function hashFile(descriptor: number, each?: (chunk: Uint8Array) => void): Sha256 {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      const read = chunk.subarray(0, count);
      hash.update(read);
      each?.(read);
    }
    return hash.digest("hex");
  } finally {
    closeSync(descriptor);
  }
}
