/**
 * Text that is written again and again, stored as words of four bytes. Written word by word it takes a third of the
 * time of `Buffer.set`, which goes byte by byte where the memory is shared with a thread.
 */
export class FixedText {
  /** In bytes. */
  readonly length: number;
  /** The bytes to reserve: the last word may reach past the text's end, and the next write overwrites that part. */
  readonly room: number;
  readonly words: readonly number[];

  constructor(text: string) {
    const bytes = Buffer.from(text);
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    this.length = bytes.length;
    this.room = padded.length;
    this.words = Array.from({ length: padded.length / 4 }, (_, index) => padded.readInt32LE(index * 4));
  }
}

/** Writes the text into reserved room and returns its end. */
export function putFixed(view: DataView, { words, length }: FixedText, at: number): number {
  for (let index = 0; index < words.length; index++) view.setInt32(at + index * 4, words[index] as number, true);
  return at + length;
}
