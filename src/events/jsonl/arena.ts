import { type Sha256, sha256 } from "#base";
import { hashField, hashFieldLength, type UnsealedLine } from "../line.ts";
import { headerLength } from "./frame.ts";

const arenaBytes = 4 * 1024 * 1024;

/**
 * Where lines become bytes, once: the journal writes them from here. Each batch begins with room for its header; small
 * batches share a piece of memory. One batch is being written while the next gathers, so two pieces do for ever.
 */
export class Arena {
  buffer: Buffer = Buffer.allocUnsafeSlow(arenaBytes);
  /** Where the batch that gathers begins, and where the next line goes. */
  batchStart = 0;
  position: number = headerLength;
  /** The piece that holds the batch under way. */
  #taken: Buffer | undefined;
  #spare: Buffer | undefined;

  /** Where the line that was added last begins. */
  lineStart = 0;

  /** Adds a line and its LF. */
  add(text: string): void {
    this.#makeRoom(text.length * 3 + 1);
    this.lineStart = this.position;
    this.position += this.buffer.write(text, this.position);
    this.buffer[this.position++] = 10;
  }

  /**
   * Adds a line and its LF, and answers its hash. The parts are written one behind the other, so that the hash is taken from
   * the bytes, leaving room before them; then the first part goes where it belongs, with the hash behind it. As text, the
   * line would be put together twice.
   */
  seal({ start, rest, isAscii }: UnsealedLine): Sha256 {
    const text = start + rest;
    this.#makeRoom(text.length * 3 + hashFieldLength + 1);
    const from = this.position + hashFieldLength;
    // A byte a character is copied, not encoded.
    const end = from + (isAscii ? this.buffer.write(text, from, "latin1") : this.buffer.write(text, from));
    const hash = sha256(this.buffer.subarray(from, end));
    this.buffer.write(start + hashField(hash), this.position);
    this.buffer[end] = 10;
    this.lineStart = this.position;
    this.position = end + 1;
    return hash;
  }

  /** UTF-8 takes at most three bytes per UTF-16 unit. */
  #makeRoom(most: number): void {
    if (this.position + most > this.buffer.length) this.#move(most);
  }

  get gathered(): number {
    return this.position - this.batchStart - headerLength;
  }

  /** The batch so far, with room for the header; the next one begins behind it. It is untouched until `release`. */
  take(): Buffer {
    const batch = this.buffer.subarray(this.batchStart, this.position);
    this.#taken = this.buffer;
    this.batchStart = this.position;
    if (this.batchStart + headerLength > this.buffer.length) this.#move(headerLength);
    this.position = this.batchStart + headerLength;
    return batch;
  }

  /** Nobody needs the batch under way any more. */
  release(): void {
    if (this.#taken && this.#taken !== this.buffer) this.#keep(this.#taken);
    this.#taken = undefined;
  }

  /** What was gathered goes to other memory; entries count from the batch's start, so they stay right. */
  #move(most: number): void {
    const left = this.buffer;
    const gathered = left.subarray(this.batchStart, this.position);
    const needed = gathered.length + most;
    const next = this.#spare && this.#spare.length >= needed ? this.#spare : newPiece(needed);
    if (next === this.#spare) this.#spare = undefined;
    gathered.copy(next);
    this.buffer = next;
    this.batchStart = 0;
    this.position = gathered.length;
    if (left !== this.#taken) this.#keep(left);
  }

  /** A piece that was made for one huge line is given back. */
  #keep(piece: Buffer): void {
    if (piece.length === arenaBytes) this.#spare = piece;
  }
}

function newPiece(needed: number): Buffer {
  return Buffer.allocUnsafeSlow(needed <= arenaBytes ? arenaBytes : needed * 2);
}
