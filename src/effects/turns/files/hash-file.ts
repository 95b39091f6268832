import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import type { Sha256 } from "#core/values";

// One for all: nothing here waits, so nobody else reads meanwhile, and 10,000 small files need no 10,000 buffers.
const chunk = Buffer.allocUnsafeSlow(1 << 18);

/** The hash of an open file, read to its end; closes it. With `each`, also hands out what was read. */
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
