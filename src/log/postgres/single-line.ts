import type { LedgerMemory } from "../ledger-writer.ts";

const usualBytes = 64 * 1024;
/** Memory above this size is freed when the next line begins. */
const mostKept = 1024 * 1024;

/** Memory for one line at a time: the line goes to the database as text. */
export class SingleLine implements LedgerMemory {
  buffer: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  readonly position = 0;
  end = 0;

  reserve(bytes: number): void {
    if (this.end === 0 && this.buffer.length > mostKept) this.buffer = Buffer.allocUnsafeSlow(usualBytes);
    if (this.end + bytes > this.buffer.length) this.#grow(this.end + bytes);
  }

  endLine(): number {
    return 0;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(needed * 2);
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}
