import * as fs from "node:fs";
import { parseLine } from "../line.ts";

/** The text of the line that ends (with its LF) at `end`, or undefined when none does. */
export function lineEndingAt(fd: number, end: number): string | undefined {
  if (end <= 0) return undefined;
  for (let want = 8 * 1024; ; want *= 8) {
    const start = Math.max(0, end - want);
    const bytes = Buffer.allocUnsafe(end - start);
    if (readSyncFully(fd, bytes, start) < bytes.length || bytes.at(-1) !== 10) return undefined;
    const before = bytes.length < 2 ? -1 : bytes.lastIndexOf(10, bytes.length - 2);
    if (before >= 0 || start === 0) return bytes.toString("utf8", before + 1, bytes.length - 1);
  }
}

/** The first line of a file, or undefined when it has no complete one. */
export function firstLine(fd: number): string | undefined {
  for (let want = 4 * 1024; ; want *= 8) {
    const bytes = Buffer.allocUnsafe(want);
    const read = readSyncFully(fd, bytes, 0);
    const end = bytes.subarray(0, read).indexOf(10);
    if (end >= 0) return bytes.toString("utf8", 0, end);
    if (read < want) return undefined;
  }
}

/** The hash of the entry that ends at `end`: tells whether a file is, up to there, what a claim says. */
export function hashEndingAt(fd: number, end: number): string | undefined {
  const text = lineEndingAt(fd, end);
  const entry = text === undefined ? undefined : parseLine(text);
  return entry?.ok ? entry.value.hash : undefined;
}

export function readSyncFully(fd: number, buffer: Buffer, position: number): number {
  let done = 0;
  while (done < buffer.length) {
    const read = fs.readSync(fd, buffer, done, buffer.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}
