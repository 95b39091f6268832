/**
 * Memory in which lines are written one behind the other, as bytes. As text, a line was put together from thirty pieces
 * before it was flattened and encoded: that took longer than hashing it and was half of the garbage of an event.
 */
export interface LineMemory {
  buffer: Buffer;
  /** Behind the last whole line. */
  readonly position: number;
  /** Behind what is written of the next one. */
  end: number;
  /** Sees to it that so many bytes fit behind `end`. Everything may lie elsewhere afterwards. */
  reserve(bytes: number): void;
}

/** Any text, as UTF-8, which takes at most three bytes per UTF-16 unit. */
export function writeText(memory: LineMemory, text: string): void {
  memory.reserve(text.length * 3);
  memory.end += memory.buffer.write(text, memory.end);
}

/** Text of ASCII characters only: a byte a character is copied, not encoded. */
export function writeAscii(memory: LineMemory, text: string): void {
  memory.reserve(text.length);
  memory.end += memory.buffer.write(text, memory.end, "latin1");
}

export function writeBytes(memory: LineMemory, bytes: Uint8Array): void {
  memory.reserve(bytes.length);
  memory.buffer.set(bytes, memory.end);
  memory.end += bytes.length;
}

/** A whole number that is not negative. */
export function writeCount(memory: LineMemory, count: number): void {
  if (count >= 10) writeCount(memory, Math.floor(count / 10));
  memory.reserve(1);
  memory.buffer[memory.end++] = 48 + (count % 10);
}
