import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { domainError } from "#core/errors";
import { readingFailure } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { ByteCursor } from "./byte-cursor.ts";

const pieceBytes = 1024 * 1024;

/** The bytes of a regular file, unpacked where it is gzip. */
export async function openFile(path: string): Promise<Result<ByteCursor>> {
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer that may never come.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (found.isFile()) return ok(await unpacked(handle.createReadStream({ highWaterMark: pieceBytes })));
    await handle.close();
    return err(
      domainError("MALFORMED_INPUT", `${path} is no regular file: a pipe or a device`, {
        details: { where: path, hint: "pipe it in and name it with --file -" },
      }),
    );
  } catch (thrown) {
    return readingFailure(path, thrown);
  }
}

/** Gzip is recognised by its first two bytes, not by the name. It is unpacked as it is read, and no further than it is read. */
export async function unpacked(pieces: AsyncIterable<Uint8Array>): Promise<ByteCursor> {
  const packed = new ByteCursor(pieces);
  await packed.reach(2);
  const isGzip = packed.pending[0] === 0x1f && packed.pending[1] === 0x8b;
  if (!isGzip) return packed;
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  // The callback ignores the error: `pipeline` destroys `gunzip` with it, so the reader of `gunzip` gets it.
  pipeline(Readable.from(rest(packed), { objectMode: false }), gunzip, () => undefined);
  return new ByteCursor(gunzip);
}

async function* rest(cursor: ByteCursor): AsyncGenerator<Uint8Array> {
  try {
    do {
      if (cursor.pending.length > 0) yield cursor.take(cursor.pending.length);
    } while (await cursor.more());
    if (cursor.failure !== undefined) throw new Error(cursor.failure);
  } finally {
    await cursor.stop();
  }
}
