import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import type { RawLine } from "../event-log.ts";
import { readFully } from "./scan-batches.ts";

/** Consecutive lines, without their LF. */
export interface Portion {
  readonly texts: readonly string[];
  /** The fault of the last line, if it has one. */
  readonly fault: RawLine["fault"];
  /** Bytes of the complete lines among them. */
  readonly bytes: number;
}

const chunkBytes = 1024 * 1024;
/** Most sessions are shorter than this, and so much is read first. */
const firstBytes = 64 * 1024;

/**
 * The lines between two bytes of a file, a megabyte at a time: memory stays flat however long the file. Without `end`,
 * to the file's end. A last line without LF is returned as torn.
 */
export async function* fileLines(
  path: string,
  start: number,
  end: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Portion> {
  const fd = fs.openSync(path, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = start; ; ) {
      const most = at === start ? firstBytes : Math.max(chunkBytes, rest.length);
      const buffer = Buffer.allocUnsafe(rest.length + Math.min(most, end - at));
      rest.copy(buffer);
      const read = await readFully(fd, buffer.subarray(rest.length), at);
      at += read;
      const bytes = buffer.subarray(0, rest.length + read);
      const isLast = bytes.length < buffer.length || at >= end;
      const cut = bytes.lastIndexOf(10) + 1;
      if (cut > 0) yield* split(bytes.subarray(0, cut));
      rest = bytes.subarray(cut);
      if (!isLast) continue;
      if (rest.length > 0) yield { texts: [rest.toString("utf8")], fault: "torn", bytes: 0 };
      return;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Complete lines. UTF-8 is checked once per portion; only where that fails, line by line. */
export function* split(bytes: Buffer): Generator<Portion> {
  if (isUtf8(bytes)) {
    const texts = bytes.toString("utf8").split("\n");
    texts.pop();
    yield { texts, fault: undefined, bytes: bytes.length };
    return;
  }
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start) + 1;
    const line = bytes.subarray(start, end);
    yield {
      texts: [line.toString("utf8", 0, line.length - 1)],
      fault: isUtf8(line) ? undefined : "not_utf8",
      bytes: line.length,
    };
    start = end;
  }
}
