import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import type { Sha256 } from "#core/values";

// One buffer for all calls: the reads are synchronous, so calls never overlap, and 10,000 small files need no 10,000 buffers.
const chunk = Buffer.allocUnsafeSlow(1 << 18);

/** The hash of an open file, read to its end; closes it. `each` gets every chunk. */
export function hashFile(descriptor: number, each?: (chunk: Uint8Array) => void): Sha256 {
  const hash = createHash("sha256");
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
