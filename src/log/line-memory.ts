/**
 * Memory in which lines are written one after the other, as bytes. As text, a line was joined from thirty parts before
 * it was flattened and encoded: that took longer than hashing it and was half of the garbage of an event.
 */
export interface LineMemory {
  buffer: Buffer;
  /** The end of the last complete line. */
  readonly position: number;
  /** The end of what is written of the next line. */
  end: number;
  /** Makes room for so many bytes after `end`. May move the memory. */
  reserve(bytes: number): void;
}

/** Writes any text as UTF-8, which takes at most three bytes per UTF-16 unit. */
export function writeText(memory: LineMemory, text: string): void {
  memory.reserve(text.length * 3);
  if (text.length > shortText || !writeShort(memory, text)) memory.end += memory.buffer.write(text, memory.end);
}

/** For a shorter text, such as a number or most keys, a loop over its characters is faster than a native call. */
const shortText = 20;

/** False where a character is not ASCII; what was written then is written over. */
function writeShort(memory: LineMemory, text: string): boolean {
  const { buffer, end } = memory;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return false;
    buffer[end + index] = code;
  }
  memory.end = end + text.length;
  return true;
}
