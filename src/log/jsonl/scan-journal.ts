import * as fs from "node:fs";
import { ok, type Result } from "#core/values";
import { type BaseFrame, decodeFrame, type OwnerFrame } from "./frame.ts";
import { damaged, type JournalEnd, scanBatches } from "./scan-batches.ts";

/** The events of one session between its claim and the end of the journal, or the release. */
export interface Segment {
  readonly base: BaseFrame;
  journal: OpenJournal;
  /** Where its lines lie in the journal: offset and length without LF, in turns. */
  readonly ranges: number[];
  /** Bytes of its lines, LF included. */
  bytes: number;
}

export interface OpenJournal {
  readonly path: string;
  readonly fd: number;
}

export interface ScannedJournal extends OpenJournal {
  close(): void;
  readonly owner: OwnerFrame | undefined;
  /** Claims that were not released, by session. */
  readonly segments: ReadonlyMap<string, Segment>;
  /** Sessions that were released somewhere in it, even if claimed again later. */
  readonly released: ReadonlySet<string>;
  readonly end: JournalEnd;
}

/** How far a generation was read, and its content up to there. */
interface Known {
  readonly segments: Map<string, Segment>;
  readonly released: Set<string>;
  readonly owner: OwnerFrame | undefined;
  readonly end: JournalEnd;
}

/**
 * What a polling reader remembers of the journals, so that it reads only what was added: complete batches are never
 * overwritten, and no two generations share a path.
 */
export type JournalMemory = Map<string, Known>;

const frameStart = Buffer.from('{"frame":"');
const sessionKey = '"session_id":"';

/**
 * Reads one generation: whose it is and which sessions it claims. With `only`, events of other sessions are skipped.
 */
export async function scanJournal(
  path: string,
  journal: string,
  only?: string,
  memory?: JournalMemory,
): Promise<Result<ScannedJournal>> {
  const fd = fs.openSync(path, "r");
  const known = memory?.get(path);
  memory?.delete(path); // until this scan is complete
  const isLonger = known !== undefined && fs.fstatSync(fd).size >= known.end.offset;
  const scanned = await scan({ path, fd }, journal, only, isLonger ? known : undefined).catch((thrown: unknown) => {
    fs.closeSync(fd);
    throw thrown;
  });
  if (!scanned.ok) {
    fs.closeSync(fd);
    return scanned;
  }
  const { owner, end, ...found } = scanned.value;
  memory?.set(path, { owner, end, ...found });
  return ok({ path, fd, owner, end, ...found, close: () => fs.closeSync(fd) });
}

async function scan(
  file: OpenJournal,
  journal: string,
  only: string | undefined,
  known: Known | undefined,
): Promise<Result<Known>> {
  const segments = known?.segments ?? new Map<string, Segment>();
  const released = known?.released ?? new Set<string>();
  let owner = known?.owner;
  for (const segment of segments.values()) segment.journal = file;
  const batches = scanBatches(file.fd, journal, file.path, known?.end);
  for (;;) {
    const next = await batches.next();
    if (next.done) {
      if (!next.value.ok) return next.value;
      return ok({ owner, segments, released, end: next.value.value });
    }
    const { body, offset } = next.value;
    for (let start = 0; start < body.length; ) {
      const end = body.indexOf(10, start);
      if (end < 0) return damaged(file.path, offset + start, "a line has no end");
      if (body.compare(frameStart, 0, frameStart.length, start, start + frameStart.length) === 0) {
        const frame = decodeFrame(body.toString("utf8", start, end));
        if (!frame) return damaged(file.path, offset + start, "a frame does not have the check that it names");
        if (frame.frame === "owner") owner = frame;
        else if (frame.frame === "release") {
          segments.delete(frame.session_id);
          released.add(frame.session_id);
        } else segments.set(frame.session_id, { base: frame, journal: file, ranges: [], bytes: 0 });
      } else {
        const session_id = sessionOf(body, start, end);
        const segment = session_id === undefined ? undefined : segments.get(session_id);
        if (segment) {
          if (only === undefined || only === session_id) segment.ranges.push(offset + start, end - start);
          segment.bytes += end + 1 - start;
        } else return damaged(file.path, offset + start, "a line belongs to no session that this journal claims");
      }
      start = end + 1;
    }
  }
}

/**
 * The claims in force over all generations of one process, oldest first: a release also ends the claims of older
 * generations.
 */
export function standingSegments(journals: readonly ScannedJournal[]): ReadonlyMap<string, readonly Segment[]> {
  const standing = new Map<string, Segment[]>();
  for (const journal of journals) {
    for (const session_id of journal.released) standing.delete(session_id);
    for (const [session_id, segment] of journal.segments) {
      const segments = standing.get(session_id);
      if (segments) segments.push(segment);
      else standing.set(session_id, [segment]);
    }
  }
  return standing;
}

/** Only `ts` and `type` follow `session_id` in a line, and neither can hold an unescaped quote: the last one is the envelope's. */
function sessionOf(body: Buffer, start: number, end: number): string | undefined {
  const tail = body.toString("latin1", Math.max(start, end - 512), end);
  const found = tail.lastIndexOf(sessionKey);
  if (found < 0) return undefined;
  const from = found + sessionKey.length;
  return tail.slice(from, tail.indexOf('"', from));
}
