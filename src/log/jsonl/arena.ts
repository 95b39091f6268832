import type { LedgerMemory } from "../ledger-writer.ts";
import { writeText } from "../line-memory.ts";
import { type Chunk, chunkBytes } from "./chunk.ts";
import { headerLength } from "./frame.ts";

/** Where an arena gets its memory. */
export interface ChunkSource {
  take(needed: number): Chunk;
  /** Nothing more is written there; its content may still be read. */
  leave(chunk: Chunk): void;
}

/** Lines that are written together, after room for a header. */
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
 * Where lines become bytes, once: journal and session files are written from this memory. Each batch begins with room
 * for its header and lies in one chunk; small batches share a chunk. One batch is being written while the next gathers.
 */
export class Arena implements LedgerMemory {
  buffer: Buffer;
  /** The start of the gathering batch, and the position of the next line. */
  batchStart = 0;
  position: number = headerLength;
  /** The end of the written part of that line. */
  end: number = headerLength;
  readonly #source: ChunkSource;
  #chunk: Chunk;
  /** The chunk of the batch that is being written. */
  #taken: Chunk | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
    this.#chunk = source.take(headerLength);
    this.buffer = this.#chunk.memory;
  }

  /** Adds a line and its LF. */
  add(text: string): void {
    this.end = this.position;
    writeText(this, text);
    this.endLine();
  }

  /** Ends the line that is being written. Returns its start, relative to its batch. */
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

  /**
   * Returns the batch so far, with room for the header; the next one begins after it. Its chunk is kept until
   * `release`.
   */
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

  /** The batch that was taken is written, or has failed. */
  release(): void {
    if (this.#taken && this.#taken !== this.#chunk) this.#source.leave(this.#taken);
    this.#taken = undefined;
  }

  /**
   * Moves the gathered lines and the batch that is being written to other memory; entries count from the batch's start,
   * so they stay valid.
   */
  #move(most: number): void {
    const left = this.#chunk;
    const gathered = this.buffer.subarray(this.batchStart, this.end);
    this.#chunk = this.#source.take(gathered.length + most);
    this.buffer = this.#chunk.memory;
    gathered.copy(this.buffer);
    this.position -= this.batchStart;
    this.batchStart = 0;
    this.end = gathered.length;
    if (left !== this.#taken) this.#source.leave(left);
  }
}
