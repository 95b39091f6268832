import { isUtf8 } from "node:buffer";
import { ok, type Result } from "#core/values";
import { damaged, readFully } from "./scan-batches.ts";
import type { Segment } from "./scan-journal.ts";

const portionBytes = 1024 * 1024;

export interface JournalLine {
  readonly text: string;
  readonly offset: number;
}

/**
 * The lines of a segment except the first `skip`, in portions, read from the journal again: an index of a million
 * events stays small, their lines do not.
 */
export async function* segmentLines(segment: Segment, skip = 0): AsyncGenerator<Result<readonly JournalLine[]>> {
  const { ranges, journal } = segment;
  for (let next = skip * 2; next < ranges.length; ) {
    const first = ranges[next] as number;
    let last = next;
    // One read also covers lines of other sessions in between, as long as it stays small.
    while (
      last + 2 < ranges.length &&
      (ranges[last + 2] as number) + (ranges[last + 3] as number) - first <= portionBytes
    )
      last += 2;
    const end = (ranges[last] as number) + (ranges[last + 1] as number);
    const buffer = Buffer.allocUnsafe(end - first);
    const read = await readFully(journal.fd, buffer, first);
    if (read < buffer.length) {
      yield damaged(journal.path, first + read, "the journal became shorter while it was read");
      return;
    }
    const lines: JournalLine[] = [];
    for (; next <= last; next += 2) {
      const offset = ranges[next] as number;
      const bytes = buffer.subarray(offset - first, offset - first + (ranges[next + 1] as number));
      if (!isUtf8(bytes)) {
        yield damaged(journal.path, offset, "a line is not UTF-8");
        return;
      }
      lines.push({ text: bytes.toString("utf8"), offset });
    }
    yield ok(lines);
  }
}
