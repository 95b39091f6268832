import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { archiveLimits } from "./archive.ts";

/** The bytes of an archive, read once and no further than the limit. */
export async function readArchive(file: string): Promise<Result<Buffer>> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return err(domainError("MALFORMED_INPUT", `${file} is not a file`));
      if (found.size > archiveLimits.maxBytes)
        return err(domainError("PACKAGE_REFUSED", `${file} is larger than ${archiveLimits.maxBytes} bytes`));
      const bytes = Buffer.alloc(found.size);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return ok(bytes.subarray(0, length));
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    const absent = codeOfError(thrown) === "ENOENT";
    return err(
      domainError(absent ? "NOT_FOUND" : "MALFORMED_INPUT", absent ? `there is no file ${file}` : messageOf(thrown), {
        cause: thrown,
      }),
    );
  }
}
