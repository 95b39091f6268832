import { isUtf8 } from "node:buffer";
import { ok, type Result } from "#core/values";
import { damaged, readFully } from "./scan-batches.ts";
import type { Segment } from "./scan-journal.ts";
import { readSyncFully } from "./tail.ts";

const portionBytes = 1024 * 1024;

export interface JournalLine {
  readonly text: string;
  readonly offset: number;
}

/** Lines of other sessions that one read may cover between two of this one. */
const gapBytes = 4 * 1024;

/**
 * The lines of a segment except the first `skip`, in portions, read from the journal again: an index of a million
 * events stays small, their lines do not.
 */
export async function* segmentLines(segment: Segment, skip = 0): AsyncGenerator<Result<readonly JournalLine[]>> {
  const { ranges, journal } = segment;
  for (let next = skip * 2; next < ranges.length; ) {
    const end = endOfPortion(ranges, next, portionBytes);
    const [start, bytes] = room(ranges, next, end);
    const lines = linesIn(segment, { next, end, start, bytes, read: await readFully(journal.fd, bytes, start) });
    yield lines;
    if (!lines.ok) return;
    next = end;
  }
}

/**
 * The same on this thread, where many sessions are read one after the other: reads that cover little else, and no turn of
 * the event loop for each.
 */
export function* storedLines(segment: Segment): Generator<Result<readonly JournalLine[]>> {
  const { ranges, journal } = segment;
  for (let next = 0; next < ranges.length; ) {
    const end = endOfPortion(ranges, next, gapBytes);
    const [start, bytes] = room(ranges, next, end);
    const lines = linesIn(segment, { next, end, start, bytes, read: readSyncFully(journal.fd, bytes, start) });
    yield lines;
    if (!lines.ok) return;
    next = end;
  }
}

/** One read also covers lines of other sessions in between, as long as it stays small. */
function endOfPortion(ranges: readonly number[], next: number, gap: number): number {
  const first = ranges[next] as number;
  let end = next + 2;
  while (end < ranges.length) {
    const offset = ranges[end] as number;
    const before = (ranges[end - 2] as number) + (ranges[end - 1] as number);
    if (offset - before > gap || offset + (ranges[end + 1] as number) - first > portionBytes) break;
    end += 2;
  }
  return end;
}

function room(ranges: readonly number[], next: number, end: number): readonly [start: number, bytes: Buffer] {
  const start = ranges[next] as number;
  return [start, Buffer.allocUnsafe((ranges[end - 2] as number) + (ranges[end - 1] as number) - start)];
}

interface Portion {
  readonly next: number;
  readonly end: number;
  readonly start: number;
  readonly bytes: Buffer;
  /** As many of the bytes as the journal had. */
  readonly read: number;
}

function linesIn(
  { ranges, journal }: Segment,
  { next, end, start, bytes, read }: Portion,
): Result<readonly JournalLine[]> {
  if (read < bytes.length) return damaged(journal.path, start + read, "the journal became shorter while it was read");
  const lines: JournalLine[] = [];
  for (let at = next; at < end; at += 2) {
    const offset = ranges[at] as number;
    const line = bytes.subarray(offset - start, offset - start + (ranges[at + 1] as number));
    if (!isUtf8(line)) return damaged(journal.path, offset, "a line is not UTF-8");
    lines.push({ text: line.toString("utf8"), offset });
  }
  return ok(lines);
}
