import type { LedgerMemory } from "../ledger-writer.ts";
import { writeText } from "../line-memory.ts";
import { headerLength } from "./frame.ts";

const arenaBytes = 4 * 1024 * 1024;

/**
 * Where lines become bytes, once: the journal writes them from here. Each batch begins with room for its header; small
 * batches share a piece of memory. One batch is being written while the next gathers, so two pieces do for ever.
 */
export class Arena implements LedgerMemory {
  buffer: Buffer = Buffer.allocUnsafeSlow(arenaBytes);
  /** Where the batch that gathers begins, and where the next line goes. */
  batchStart = 0;
  position: number = headerLength;
  /** Behind what is written of that line. */
  end: number = headerLength;
  /** The piece that holds the batch under way. */
  #taken: Buffer | undefined;
  #spare: Buffer | undefined;

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

  /** The batch so far, with room for the header; the next one begins behind it. It is untouched until `release`. */
  take(): Buffer {
    const batch = this.buffer.subarray(this.batchStart, this.position);
    this.#taken = this.buffer;
    this.batchStart = this.position;
    this.end = this.position;
    if (this.buffer.length > arenaBytes) this.#move(headerLength);
    else this.reserve(headerLength);
    this.position = this.batchStart + headerLength;
    this.end = this.position;
    return batch;
  }

  /** Nobody needs the batch under way any more. */
  release(): void {
    if (this.#taken && this.#taken !== this.buffer) this.#keep(this.#taken);
    this.#taken = undefined;
  }

  /** What was gathered and what is being written goes to other memory; entries count from the batch's start, so they stay right. */
  #move(most: number): void {
    const left = this.buffer;
    const gathered = left.subarray(this.batchStart, this.end);
    const needed = gathered.length + most;
    const next = this.#spare && this.#spare.length >= needed ? this.#spare : newPiece(needed);
    if (next === this.#spare) this.#spare = undefined;
    gathered.copy(next);
    this.buffer = next;
    this.position -= this.batchStart;
    this.batchStart = 0;
    this.end = gathered.length;
    if (left !== this.#taken) this.#keep(left);
  }

  /** A piece that was made for a huge line goes with the batch that has it. */
  #keep(piece: Buffer): void {
    if (piece.length === arenaBytes) this.#spare = piece;
  }
}

function newPiece(needed: number): Buffer {
  return Buffer.allocUnsafeSlow(needed <= arenaBytes ? arenaBytes : needed * 2);
}
