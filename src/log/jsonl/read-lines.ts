import { ok, type Result, type SessionId } from "#core/values";
import type { ChainMark } from "../line.ts";
import { fileLines, type Portion, split } from "./file-lines.ts";
import { sessionPaths } from "./paths.ts";
import { damaged } from "./scan-batches.ts";
import type { Segment } from "./scan-journal.ts";
import { segmentLines } from "./segment-lines.ts";
import { findSegments, type Journals, placeOnDisk, sessionNotFound } from "./session-paths.ts";

/** How far a reader has read. */
export interface Position {
  seq: number;
  bytes: number;
}

/**
 * The lines of a session from a position on, journal and file read as one: up to a claim's mark the file is
 * authoritative, above it the journal. A file without a claim is read to its end. `position` advances.
 */
export async function* readLines(
  journals: Journals,
  session_id: SessionId,
  position: Position,
): AsyncGenerator<Result<Portion>> {
  for (let looks = 1; ; looks++) {
    // This process may have opened the session while its file was read: then its own journal counts too.
    const found = await findSegments(looks === 1 ? journals : { ...journals, without: undefined }, session_id);
    if (!found.ok) {
      yield found;
      return;
    }
    try {
      const { root } = journals;
      const { segments } = found.value;
      const tier = segments[0]?.base.tier ?? placeOnDisk(root, session_id)?.tier;
      if (tier === undefined) {
        yield sessionNotFound(session_id);
        return;
      }
      const file = sessionPaths(root, tier, session_id).events;
      for (const segment of segments) {
        const mark = segment.base.base.events;
        if (mark.bytes > position.bytes) yield* readFile(file, position, mark.bytes);
        yield* readSegment(segment, position);
      }
      if (segments.length > 0) return;
      let torn: Portion | undefined;
      for await (const portion of fileLines(file, position.bytes)) {
        if (portion.fault === "torn") torn = portion;
        else yield advance(portion, position);
      }
      if (!torn) return;
      // A process may have claimed the session and be writing this very line: read the journals again.
      if (looks === 3) {
        yield ok(torn);
        return;
      }
    } finally {
      found.value.close();
    }
  }
}

async function* readFile(path: string, position: Position, end: number): AsyncGenerator<Result<Portion>> {
  for await (const portion of fileLines(path, position.bytes, end)) yield advance(portion, position);
  if (position.bytes !== end)
    yield damaged(path, position.bytes, `the file ends before byte ${end}, up to which it was complete`);
}

async function* readSegment(segment: Segment, position: Position): AsyncGenerator<Result<Portion>> {
  const mark = segment.base.base.events;
  const seen = Math.max(0, position.seq - mark.seq);
  if (seen * 2 >= segment.ranges.length) return;
  for await (const lines of segmentLines(segment, seen)) {
    if (!lines.ok) {
      yield lines;
      return;
    }
    const texts = lines.value.map(({ text }) => text);
    position.seq += texts.length;
    yield ok({ texts, fault: undefined, bytes: 0 });
  }
  position.bytes = mark.bytes + segment.bytes;
}

function advance(portion: Portion, position: Position): Result<Portion> {
  position.seq += portion.texts.length;
  position.bytes += portion.bytes;
  return ok(portion);
}

/** The approximate size of a portion of lines from memory. */
const portionBytes = 64 * 1024;

/** The lines of a session of this process, at one moment. */
export interface OwnLines {
  readonly file: string;
  readonly written: ChainMark;
  /** Durable lines that are not in the file yet. */
  readonly pending: Buffer;
}

/** The same for a session of this process: its file up to the written mark, then the lines in memory. */
export async function* readOwnLines(own: OwnLines, position: Position): AsyncGenerator<Result<Portion>> {
  if (own.written.bytes > position.bytes) yield* readFile(own.file, position, own.written.bytes);
  let start = 0;
  for (let { seq } = own.written; seq < position.seq && start < own.pending.length; seq++)
    start = own.pending.indexOf(10, start) + 1;
  while (start < own.pending.length) {
    const end = own.pending.indexOf(10, start + portionBytes) + 1 || own.pending.length;
    for (const portion of split(own.pending.subarray(start, end))) yield advance(portion, position);
    start = end;
  }
}
