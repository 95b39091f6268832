import * as fs from "node:fs";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { decodeHeader, headerLength, headerMarker } from "./frame.ts";

/** The lines of one complete batch. */
export interface Batch {
  /** Where `body` begins in the file. */
  readonly offset: number;
  readonly body: Buffer;
}

/** Where a journal ends: after its last complete batch. `torn` counts the bytes of an unfinished one. */
export interface JournalEnd {
  readonly offset: number;
  readonly batches: number;
  readonly torn: number;
}

const windowBytes = 1024 * 1024;

/**
 * Yields the complete batches of a journal in order and returns where it ends. Only the last batch can be unfinished:
 * the next one is begun after its sync. An unfinished batch is short, or has holes (a line never contains NUL) where
 * pages were not written before the power failed. Any other problem is damage and is refused.
 */
export async function* scanBatches(
  fd: number,
  journal: string,
  path: string,
  after: Pick<JournalEnd, "offset" | "batches"> = { offset: 0, batches: 0 },
): AsyncGenerator<Batch, Result<JournalEnd>> {
  let window: Buffer = Buffer.alloc(0);
  let windowAt = after.offset;
  let at = after.offset;
  let number = after.batches;
  let doubted = -1;
  /**
   * A writer may be active: between two reads it can finish a batch that was read half and begin the next, which looks
   * like damage. Real damage is still there on the second read.
   */
  const end = async (): Promise<Result<JournalEnd> | undefined> => {
    const found = await endOf(fd, journal, path, { offset: at, batches: number });
    if (found.ok || doubted === at) return found;
    doubted = at;
    window = Buffer.alloc(0);
    return undefined;
  };
  /** The bytes at `at`, as many as there are up to `length`. */
  const bytes = async (length: number): Promise<Buffer> => {
    const start = at - windowAt;
    if (start + length <= window.length) return window.subarray(start, start + length);
    const next = Buffer.allocUnsafe(Math.max(windowBytes, length));
    const read = await readFully(fd, next, at);
    window = next.subarray(0, read);
    windowAt = at;
    return window.subarray(0, length);
  };
  for (;;) {
    const head = await bytes(headerLength);
    if (head.length === 0) return ok({ offset: at, batches: number, torn: 0 });
    const header = head.length === headerLength ? decodeHeader(journal, head.toString("latin1")) : undefined;
    if (!header) {
      if (head.length === headerLength && !head.includes(0))
        return damaged(path, at, "the header of a batch is not what was written");
      const found = await end();
      if (found) return found;
      continue;
    }
    if (header.number !== number + 1)
      return damaged(path, at, `batch ${header.number} stands where ${number + 1} belongs`);
    const whole = await bytes(headerLength + header.bytes);
    if (whole.length < headerLength + header.bytes || whole.includes(0, headerLength)) {
      const found = await end();
      if (found) return found;
      continue;
    }
    number += 1;
    yield { offset: at + headerLength, body: whole.subarray(headerLength) };
    at += whole.length;
  }
}

/** `at` begins an unfinished batch or unused reserve, unless a later batch follows, which is damage. */
async function endOf(
  fd: number,
  journal: string,
  path: string,
  { offset: at, batches }: Pick<JournalEnd, "offset" | "batches">,
): Promise<Result<JournalEnd>> {
  const window = Buffer.allocUnsafe(windowBytes);
  let torn = 0;
  for (let offset = at; ; ) {
    const read = await readFully(fd, window, offset);
    const bytes = window.subarray(0, read);
    for (let found = bytes.indexOf(headerMarker); found >= 0; found = bytes.indexOf(headerMarker, found + 1)) {
      const header = decodeHeader(journal, bytes.toString("latin1", found, found + headerLength));
      if (header && header.number > batches + 1)
        return damaged(path, at, `a batch is damaged, and batch ${header.number} comes after it`);
    }
    const last = lastNonZero(bytes);
    if (last >= 0) torn = offset + last + 1 - at;
    if (read < window.length) return ok({ offset: at, batches, torn });
    offset += read - headerLength; // a header may lie across two windows
  }
}

function lastNonZero(bytes: Buffer): number {
  let last = bytes.length - 1;
  while (last >= 0 && bytes[last] === 0) last -= 1;
  return last;
}

export function damaged(path: string, offset: number, what: string): Result<never> {
  return err(domainError("LEDGER_CORRUPT", `${path}, offset ${offset}: ${what}`, { details: { file: path, offset } }));
}

/** Fills the buffer from `position` as far as the file goes. */
export async function readFully(fd: number, buffer: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const read = await new Promise<number>((resolve, reject) => {
      fs.read(fd, buffer, done, buffer.length - done, position + done, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
    if (read === 0) break;
    done += read;
  }
  return done;
}
