import type { Batch, ChunkSource } from "./arena.ts";
import { Chunk, chunkBytes } from "./chunk.ts";

/** The files of a session. */
export const sessionFiles = ["events", "exec", "evidence"] as const;
export type SessionFile = (typeof sessionFiles)[number];

const filesPerSession = sessionFiles.length;
const numbersPerLine = 3;

/** One number for a file of a session, by its position in `sessionFiles`: a pending line costs no object. */
export function fileNumber(session: number, file: number): number {
  return session * filesPerSession + file;
}

/** Lines to be flushed, sorted by their file: the first session's events, its ledgers, then the next session. */
export interface FlushPlan {
  readonly memories: readonly Buffer[];
  /** Of each line: the index of its memory, its start, its end. */
  readonly ranges: Int32Array;
  /** Where the lines of each file begin, counted in lines; one number more than there are files. */
  readonly offsets: Int32Array;
  /** For each chunk the file of each of its lines; below 0 where it is in no file of the plan. */
  readonly sorted: readonly (readonly [Chunk, Int32Array])[];
}

/** The first and the last line of a session that its file does not hold yet. */
export interface PendingEnds {
  readonly first: string;
  readonly last: string;
}

/**
 * The durable lines of all sessions that no session file holds yet, in the memory in which they were written. A pending
 * line costs three numbers; a copy in memory of its session cost as much as its hash.
 */
export class PendingWrites implements ChunkSource {
  /**
   * So many are kept for the next lines, also when the log rests: the filing thread holds what it was given until its own
   * garbage is collected, so that a process which freed chunks and took new ones held 142 MB of them after 10,000 requests.
   * Kept, they were 30 MB after 2,000 requests and after 5,000.
   */
  readonly #mostSpare: number;
  /** Chunks that hold lines, oldest first. */
  readonly #chunks: Chunk[] = [];
  readonly #spare: Chunk[] = [];
  #sessions = 0;

  constructor(mostSpareBytes: number) {
    this.#mostSpare = Math.max(1, Math.floor(mostSpareBytes / chunkBytes));
  }

  /** A number for a session; never reused, so that a line cannot become another session's. */
  number(): number {
    this.#sessions += 1;
    return this.#sessions;
  }

  take(needed: number): Chunk {
    if (needed > chunkBytes) return new Chunk(needed * 2);
    const chunk = this.#spare.pop() ?? new Chunk(chunkBytes);
    chunk.isLeft = false;
    return chunk;
  }

  leave(chunk: Chunk): void {
    chunk.isLeft = true;
    if (chunk.count === 0) this.#keep(chunk);
  }

  /** Adds a durable line of the batch for this file (`fileNumber`); `start` and `end` are relative to the batch. */
  add(batch: Batch, file: number, start: number, end: number): void {
    const { chunk } = batch;
    if (chunk.count === 0) this.#chunks.push(chunk);
    chunk.add(file, batch.start + start, batch.start + end);
  }

  /** Everything that is pending of these sessions now. */
  plan(sessions: readonly number[]): FlushPlan {
    const places = new Map(sessions.map((session, index) => [session, index]));
    const offsets = new Int32Array(sessions.length * filesPerSession + 1);
    const sorted = this.#chunks.map((chunk) => [chunk, this.#fileOf(chunk, places, offsets)] as const);
    for (let file = 1; file < offsets.length; file++)
      offsets[file] = numberAt(offsets, file) + numberAt(offsets, file - 1);
    const next = offsets.slice();
    const ranges = new Int32Array(numberAt(offsets, offsets.length - 1) * numbersPerLine);
    for (const [memory, [{ lines }, files]] of sorted.entries()) {
      for (let index = 0; index < files.length; index++) {
        const file = numberAt(files, index);
        if (file < 0) continue;
        const at = numberAt(next, file) * numbersPerLine;
        next[file] = numberAt(next, file) + 1;
        ranges[at] = memory;
        ranges[at + 1] = numberAt(lines, index * numbersPerLine + 1);
        ranges[at + 2] = numberAt(lines, index * numbersPerLine + 2);
      }
    }
    return { memories: sorted.map(([{ memory }]) => memory), ranges, offsets, sorted };
  }

  /** Drops the lines of the first `done` sessions of the plan: their files hold them. */
  drop({ sorted }: FlushPlan, done: number): void {
    const end = done * filesPerSession;
    for (const [chunk, files] of sorted) {
      chunk.drop(files.length, (index) => {
        const file = numberAt(files, index);
        return file < 0 || file >= end;
      });
    }
    const left = this.#chunks.filter(({ count }) => count > 0);
    const emptied = this.#chunks.filter(({ count, isLeft }) => count === 0 && isLeft);
    this.#chunks.splice(0, this.#chunks.length, ...left);
    for (const chunk of emptied) this.#keep(chunk);
  }

  /** All lines for one file, concatenated. */
  linesOf(session: number, file: SessionFile): Buffer {
    const owner = fileNumber(session, sessionFiles.indexOf(file));
    const found: Buffer[] = [];
    for (const { lines, count, memory } of this.#chunks) {
      for (let at = 0; at < count * numbersPerLine; at += numbersPerLine)
        if (lines[at] === owner) found.push(memory.subarray(lines[at + 1], lines[at + 2]));
    }
    return Buffer.concat(found);
  }

  /** The first and last pending line of each session, by its number. */
  ends(): ReadonlyMap<number, PendingEnds> {
    const ends = new Map<number, { first: Buffer; last: Buffer }>();
    for (const { lines, count, memory } of this.#chunks) {
      for (let at = 0; at < count * numbersPerLine; at += numbersPerLine) {
        const owner = numberAt(lines, at);
        if (owner % filesPerSession !== 0) continue;
        const last = memory.subarray(lines[at + 1], numberAt(lines, at + 2) - 1);
        const known = ends.get(owner / filesPerSession);
        if (known) known.last = last;
        else ends.set(owner / filesPerSession, { first: last, last });
      }
    }
    return new Map(
      [...ends].map(([session, { first, last }]) => [session, { first: String(first), last: String(last) }]),
    );
  }

  /**
   * The file of the plan that each line goes to; counts them one index further on, where the next file's lines begin.
   */
  #fileOf({ lines, count }: Chunk, places: ReadonlyMap<number, number>, counts: Int32Array): Int32Array {
    const files = new Int32Array(count);
    for (let index = 0; index < count; index++) {
      const owner = numberAt(lines, index * numbersPerLine);
      const file = owner % filesPerSession;
      const place = places.get((owner - file) / filesPerSession);
      const target = place === undefined ? -1 : place * filesPerSession + file;
      files[index] = target;
      if (target >= 0) counts[target + 1] = numberAt(counts, target + 1) + 1;
    }
    return files;
  }

  /** A chunk that was made for a huge line is freed. */
  #keep(chunk: Chunk): void {
    if (chunk.memory.length === chunkBytes && this.#spare.length < this.#mostSpare) this.#spare.push(chunk);
  }
}

function numberAt(numbers: Int32Array, index: number): number {
  return numbers[index] as number;
}
