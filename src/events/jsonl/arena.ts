import { headerLength } from "./frame.ts";

const arenaBytes = 4 * 1024 * 1024;

/**
 * Where lines become bytes, once: the journal writes them from here, and the session files are written from the same bytes
 * later. Each batch begins with room for its header; small batches share a piece of memory.
 */
export class Arena {
  buffer: Buffer = Buffer.allocUnsafeSlow(arenaBytes);
  /** Where the batch that gathers begins, and where the next line goes. */
  batchStart = 0;
  position: number = headerLength;

  /** Adds a line and its LF; answers where it begins, counted from the batch's start. */
  add(text: string): number {
    const most = text.length * 3 + 1; // UTF-8 takes at most three bytes per UTF-16 unit
    if (this.position + most > this.buffer.length) this.#move(most);
    const start = this.position;
    this.position += this.buffer.write(text, start);
    this.buffer[this.position++] = 10;
    return start - this.batchStart;
  }

  get gathered(): number {
    return this.position - this.batchStart - headerLength;
  }

  /** The batch so far, with room for the header; the next one begins behind it. */
  take(): Buffer {
    const batch = this.buffer.subarray(this.batchStart, this.position);
    this.begin();
    return batch;
  }

  begin(): void {
    this.batchStart = this.position;
    if (this.batchStart + headerLength > this.buffer.length) this.#move(headerLength);
    this.position = this.batchStart + headerLength;
  }

  /** What was gathered goes to fresh memory; entries count from the batch's start, so they stay right. */
  #move(most: number): void {
    const gathered = this.buffer.subarray(this.batchStart, this.position);
    const next = Buffer.allocUnsafeSlow(Math.max(arenaBytes, (gathered.length + most) * 2));
    gathered.copy(next);
    this.buffer = next;
    this.batchStart = 0;
    this.position = gathered.length;
  }
}
