import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "../values/result.ts";
import { readingFailure } from "./reading-failure.ts";

/** More than any contract, skill or configuration needs; a caller that expects more passes its own limit. */
const defaultMaxBytes = 16 * 1024 * 1024;

/** The bytes of a regular file, up to the limit. Anything else, such as a pipe without a writer, is refused at once. */
export async function readBytes(
  path: string,
  options: { readonly maxBytes?: number } = {},
): Promise<Result<Uint8Array>> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer that may never come.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile())
        return malformed(
          path,
          `${path} is ${found.isDirectory() ? "a folder, not a file" : "no regular file: a pipe or a device"}`,
        );
      const bytes = Buffer.alloc(Math.min(found.size, maxBytes) + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
        // A file that grows while it is read, or whose size the system does not know (/proc), ends here too.
        if (length === bytes.length)
          return malformed(path, `${path} is larger than ${Math.min(found.size, maxBytes)} bytes`);
      }
      return ok(bytes.subarray(0, length));
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    return readingFailure(path, thrown);
  }
}

function malformed(path: string, message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message, { details: { where: path } }));
}
