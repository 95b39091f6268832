import { type FixedText, putFixed } from "./fixed-text.ts";

/**
 * Memory in which lines are written one after the other, as bytes. As text, a line was joined from thirty parts before
 * it was flattened and encoded: that took longer than hashing it and was half of the garbage of an event.
 */
export interface LineMemory {
  buffer: Buffer;
  /** The same memory. */
  view: DataView;
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
  memory.end += memory.buffer.write(text, memory.end);
}

export function writeFixed(memory: LineMemory, text: FixedText): void {
  memory.reserve(text.room);
  memory.end = putFixed(memory.view, text, memory.end);
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** For a shorter text a loop over its characters is faster than a native call. */
const shortText = 20;

/** Writes ASCII text into reserved room and returns its end. */
export function putAscii(buffer: Buffer, text: string, at: number): number {
  const { length } = text;
  if (length > shortText) return at + buffer.write(text, at, "latin1"); // latin1: one byte a character, copied and not encoded
  for (let index = 0; index < length; index++) buffer[at + index] = text.charCodeAt(index);
  return at + length;
}

/** The same for a whole number that is not negative. */
export function putCount(buffer: Buffer, count: number, at: number): number {
  if (count > mostSmall) return putAscii(buffer, `${count}`, at);
  let end = at + 1;
  for (let least = 10; least <= count; least *= 10) end += 1;
  let rest = count | 0; // an int32 is divided by a multiplication
  for (let index = end - 1; index >= at; index--) {
    const tenth = (rest / 10) | 0;
    buffer[index] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

const mostSmall = 99_999_999;
