import type { LedgerMemory } from "../ledger-writer.ts";
import { writeText } from "../line-memory.ts";
import { type Chunk, chunkBytes } from "./chunk.ts";
import { headerLength } from "./frame.ts";

/** Where an arena gets its memory. */
export interface ChunkSource {
  take(needed: number): Chunk;
  /** Nothing is written there any more; what lies there may still be read. */
  leave(chunk: Chunk): void;
}

/** Lines that are written together, behind room for a header. */
export class Batch {
  readonly chunk: Chunk;
  /** Where it begins in its chunk. */
  readonly start: number;
  readonly bytes: Buffer;

  constructor(chunk: Chunk, start: number, end: number) {
    this.chunk = chunk;
    this.start = start;
    this.bytes = chunk.memory.subarray(start, end);
  }
}

/**
 * Where lines become bytes, once: the journal writes them from here, and so do the session files. Each batch begins with room
 * for its header and lies in one chunk of memory; small ones share a chunk. One batch is being written while the next gathers.
 */
export class Arena implements LedgerMemory {
  buffer: Buffer;
  view: DataView;
  /** Where the batch that gathers begins, and where the next line goes. */
  batchStart = 0;
  position: number = headerLength;
  /** Behind what is written of that line. */
  end: number = headerLength;
  readonly #source: ChunkSource;
  #chunk: Chunk;
  /** The chunk that holds the batch under way. */
  #taken: Chunk | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
    this.#chunk = source.take(headerLength);
    this.buffer = this.#chunk.memory;
    this.view = this.#chunk.view;
  }

  /** Adds a line and its LF. */
  add(text: string): void {
    this.end = this.position;
    writeText(this, text);
    this.endLine();
  }

  /** What is written of the next line is all of it. Answers where it begins, from the start of its batch. */
  endLine(): number {
    this.reserve(1);
    this.buffer[this.end++] = 10;
    const start = this.position - this.batchStart;
    this.position = this.end;
    return start;
  }

  reserve(bytes: number): void {
    if (this.end + bytes > this.buffer.length) this.#move(bytes);
  }

  get gathered(): number {
    return this.position - this.batchStart - headerLength;
  }

  /** The batch so far, with room for the header; the next one begins behind it. Its chunk is not left before `release`. */
  take(): Batch {
    const batch = new Batch(this.#chunk, this.batchStart, this.position);
    this.#taken = this.#chunk;
    this.batchStart = this.position;
    this.end = this.position;
    if (this.buffer.length > chunkBytes) this.#move(headerLength);
    else this.reserve(headerLength);
    this.position = this.batchStart + headerLength;
    this.end = this.position;
    return batch;
  }

  /** The batch under way is written, or never will be. */
  release(): void {
    if (this.#taken && this.#taken !== this.#chunk) this.#source.leave(this.#taken);
    this.#taken = undefined;
  }

  /** What was gathered and what is being written goes to other memory; entries count from the batch's start, so they stay right. */
  #move(most: number): void {
    const left = this.#chunk;
    const gathered = this.buffer.subarray(this.batchStart, this.end);
    this.#chunk = this.#source.take(gathered.length + most);
    this.buffer = this.#chunk.memory;
    this.view = this.#chunk.view;
    gathered.copy(this.buffer);
    this.position -= this.batchStart;
    this.batchStart = 0;
    this.end = gathered.length;
    if (left !== this.#taken) this.#source.leave(left);
  }
}
